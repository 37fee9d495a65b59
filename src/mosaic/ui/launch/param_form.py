"""Qt view of a `Form`: one line per field, headings, advanced ones folded away. Knows no runner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QStringListModel, Qt, QTimer
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QCompleter,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mosaic.ui.launch.model.form import hint_of
from mosaic.ui.shell.theme import tone
from mosaic.ui.shell.widgets.bits import Choice, Fold, Heading, Note, is_restyling, reveal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtCore import QEvent

    from mosaic.ui.launch.model.form import Form

__all__ = ["FieldRow", "ParamForm"]

_WRAPS = "_\u200b"  # a long name may go on in the next line after an underscore


class FieldRow:
    """The widgets of one field: label, editor, reset, and what is wrong."""

    def __init__(self, form: Form, name: str, *, completions: Sequence[str] = ()) -> None:
        self._form = form
        self._name = name
        field = form.field(name)
        hint = hint_of(field.parameter)
        self.label = QLabel(field.label.replace("_", _WRAPS))
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.label.setToolTip(hint)
        self.editor = self._make_editor(
            field.parameter.type, field.parameter.choices, optional=field.parameter.optional
        )
        self.editor.setToolTip(hint)
        self.editor.setObjectName(f"field-{name}")
        self.editor.setAccessibleDescription(hint)
        self.label.setBuddy(self.editor)
        self._completions = QStringListModel(list(completions))
        if completions and isinstance(self.editor, QLineEdit):
            completer = QCompleter(self._completions, self.editor)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.activated.connect(lambda text: self._form.set(self._name, text))
            self.editor.setCompleter(completer)
        self.reset = QToolButton()
        self.reset.setText("↺")
        self.reset.setFixedWidth(24)
        self.reset.setAutoRaise(True)
        self.reset.setToolTip(f"Back to the default of {field.label}")
        self.reset.setAccessibleName(f"Reset {field.label}")
        self.reset.clicked.connect(lambda: self._form.reset(self._name))
        policy = self.reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset.setSizePolicy(policy)
        self.problem = Note(meaning="bad")
        self.refresh()

    def complete(self, texts: Sequence[str]) -> None:
        """Other texts are offered while typing."""
        self._completions.setStringList(list(texts))

    def add_to(self, grid: QGridLayout, *, wide: bool) -> None:
        """Put the field at the end of a grid: beside its label, or below it in full width."""
        row = grid.rowCount()
        grid.addWidget(self.label, row, 0, 1, 3 if wide else 1)
        grid.addWidget(self.reset, row + wide, 2)
        grid.addWidget(self.editor, row + wide, 1 - wide, 1, 1 + wide)
        grid.addWidget(self.problem, row + wide + 1, 0, 1, 3)

    def refresh(self) -> None:
        """Show the field as it stands."""
        field = self._form.field(self._name)
        editor = self.editor
        if isinstance(editor, QLineEdit):
            if editor.text() != field.text:
                editor.setText(field.text)
        elif isinstance(editor, QCheckBox):
            editor.setChecked(field.text.strip().lower() == "true")
        elif isinstance(editor, Choice):
            editor.setCurrentText(field.text)
        editor.setAccessibleName(f"{field.label}, changed" if field.changed else field.label)
        font = QFont(self.label.font())
        font.setBold(field.changed)
        self.label.setFont(font)
        reveal(self.reset, shown=field.changed)
        self.problem.say(field.problem)
        palette = QPalette()
        if field.problem:
            palette.setColor(QPalette.ColorRole.Text, tone("bad"))
        editor.setPalette(palette)

    def _make_editor(self, kind: str, choices: Sequence[str], *, optional: bool) -> QWidget:
        if kind == "bool" and not optional:
            box = QCheckBox()
            box.toggled.connect(lambda down: self._form.set(self._name, "true" if down else "false"))
            return box
        if kind in ("choice", "bool"):
            offered = list(choices) if kind == "choice" else ["true", "false"]
            combo = Choice([*offered, *(["none"] if optional else [])])
            combo.currentTextChanged.connect(lambda text: self._form.set(self._name, text))
            return combo
        line = QLineEdit()
        line.setMinimumWidth(96)
        line.textEdited.connect(lambda text: self._form.set(self._name, text))
        return line


class ParamForm(QWidget):
    """Qt view of Form.

    Args:
        form: what is shown.
        title: the heading above all of it.
        more: what the folded part is called.
        completions: texts offered while typing, by field.
        wide: fields that need the whole width.
    """

    def __init__(
        self,
        form: Form,
        *,
        title: str,
        more: str = "Advanced",
        completions: Mapping[str, Sequence[str]] | None = None,
        wide: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self._form = form
        self._more = more
        self._wide = wide
        offered = completions or {}
        self.rows = {name: FieldRow(form, name, completions=offered.get(name, ())) for name in form.names}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(self._head(title, form))
        several = sum(1 for group in form.groups if group.plain) > 1
        for group in form.groups:
            if group.plain:
                column.addLayout(self._grid(group.plain, group.title if several else ""))
        self.fold = Fold(more, self._folded())
        column.addWidget(self.fold)
        self.fold.setVisible(any(group.advanced for group in form.groups))
        if any(form.is_changed(name) for group in form.groups for name in group.advanced):
            self.fold.open()
        self._disconnect = form.changed.connect(self._changed)
        self._count()

    def let_go(self) -> None:
        """The form is shown no more."""
        self._disconnect()

    def changeEvent(self, event: QEvent) -> None:
        """The theme changed: marks take its colours."""
        super().changeEvent(event)
        if is_restyling(event):
            QTimer.singleShot(0, self, self._refresh)

    def _refresh(self) -> None:
        for row in self.rows.values():
            row.refresh()

    def _head(self, title: str, form: Form) -> QHBoxLayout:
        head = QHBoxLayout()
        head.addWidget(Heading(title))
        head.addStretch(1)
        self.reset_all = QPushButton("Reset all")
        self.reset_all.setFlat(True)
        self.reset_all.setToolTip(f"{title}: every field back to its default")
        self.reset_all.setAccessibleName(f"Reset all of {title}")
        self.reset_all.clicked.connect(form.reset_all)
        head.addWidget(self.reset_all)
        return head

    def _folded(self) -> QWidget:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        groups = [group for group in self._form.groups if group.advanced]
        for group in groups:
            column.addLayout(self._grid(group.advanced, group.title if len(groups) > 1 else ""))
        return body

    def _grid(self, names: Sequence[str], title: str) -> QGridLayout:
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 5)
        grid.setColumnStretch(1, 5)
        if title:
            grid.addWidget(Note(title), 0, 0, 1, 3)
        for name in names:
            self.rows[name].add_to(grid, wide=name in self._wide)
        return grid

    def _changed(self, name: str) -> None:
        self.rows[name].refresh()
        self._count()

    def _count(self) -> None:
        form = self._form
        changed = [name for name in form.names if form.is_changed(name)]
        self.reset_all.setVisible(bool(changed))
        folded = [name for group in form.groups for name in group.advanced]
        inside = sum(1 for name in changed if name in folded)
        self.fold.title(f"{self._more} ({len(folded)}{f', {inside} changed' if inside else ''})")
