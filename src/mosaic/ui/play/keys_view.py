"""Qt view of a `Playing`'s keys: which key does what, and the place where that is changed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from mosaic.app import key_files
from mosaic.app.keys import combination
from mosaic.errors import UsageError
from mosaic.text import visible
from mosaic.ui.play.model.key_editing import MOST_LINES, KeyEditing, meaning_of
from mosaic.ui.shell.keys import plain_key
from mosaic.ui.shell.theme import GAP, TIGHT
from mosaic.ui.shell.widgets.bits import Note
from mosaic.ui.shell.widgets.controls import tool

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent

    from mosaic.protocol.hands import KeyMap
    from mosaic.ui.play.model.playing import Playing
    from mosaic.ui.shell.context import Context

__all__ = ["KeyField", "KeysEditor", "KeysView", "keys_said"]

_ARROWS = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}
_SOURCES = {
    "yours": "your own keys",
    "table": "",
    "environment": "the environment's own keys",
    "names": "by the names of the actions",
    "digits": "an action by its digit",
}
_WORDS_KEPT = "\u00a0"  # keys and what they do stay on one line
_MOST_SAID = 24


def keys_said(keys: KeyMap) -> str:
    """All keys and what they do, in a line that may wrap between them."""
    told = []
    for binding in keys.bindings[:_MOST_SAID]:
        held = combination(binding)
        for name, arrow in _ARROWS.items():
            held = held.replace(name, arrow)
        means = binding.name or meaning_of(binding)
        told.append(visible(f"{held}: {means}").replace(" ", _WORDS_KEPT))
    if len(keys.bindings) > _MOST_SAID:
        told.append(f"and {len(keys.bindings) - _MOST_SAID} more")
    source = _SOURCES.get(keys.source, keys.source)
    return "    ".join([*told, *([f"({source})"] if source and told else [])])


class KeyField(QLineEdit):
    """Takes keys as they are pressed, several held together as one combination; Tab goes on."""

    pressed = Signal(tuple)
    """These keys, in the order they went down."""

    def __init__(self, keys: tuple[str, ...]) -> None:
        super().__init__(" + ".join(keys))
        self._keys: list[str] = []
        self._down: set[str] = set()
        self.setPlaceholderText("press keys")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)

    def event(self, event: QEvent) -> bool:
        """Keys that Qt keeps for itself are keys here too, but for Tab."""
        if event.type() == event.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """One more of the combination, or the first of another."""
        key = plain_key(event)
        if not key or event.isAutoRepeat():
            return
        if not self._down:
            self._keys = []
        self._down.add(key)
        if key not in self._keys:
            self._keys.append(key)
        self.setText(" + ".join(self._keys))
        self.pressed.emit(tuple(self._keys))

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """When all are up, the next one begins another combination."""
        if not event.isAutoRepeat():
            self._down.discard(plain_key(event))


class KeysEditor(QWidget):
    """Qt view of KeyEditing: a line per meaning. Keeps nothing until Save is pressed."""

    saved = Signal(object)
    """This `KeyMap` is to be kept."""
    forgotten = Signal()
    """The environment's own keys are wanted again."""
    closed = Signal()

    def __init__(self, editing: KeyEditing, *, yours: bool) -> None:
        super().__init__()
        self.setAccessibleName("Change the keys")
        self.editing = editing
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(TIGHT)
        self._grid.setVerticalSpacing(TIGHT)
        self.rows: list[tuple[KeyField, QLineEdit, QLineEdit, QWidget]] = []
        self.problem = Note(meaning="bad")
        self.add = QPushButton("Add a key")
        self.add.clicked.connect(self._add)
        self.save = QPushButton("Save")
        self.save.clicked.connect(self._save)
        self.forget = QPushButton("The environment's own keys")
        self.forget.clicked.connect(self.forgotten)
        self.forget.setVisible(yours)
        cancel = QPushButton("Cancel")
        cancel.clicked.connect(self.closed)
        foot = QHBoxLayout()
        for button in (self.add, self.forget):
            foot.addWidget(button)
        foot.addStretch(1)
        for button in (cancel, self.save):
            foot.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, TIGHT, 0, TIGHT)
        column.addLayout(self._grid)
        column.addWidget(self.problem)
        column.addLayout(foot)
        self._fill()
        editing.changed.connect(self._show_problem)

    def _fill(self) -> None:
        for row in self.rows:
            for widget in row:
                widget.hide()
                widget.deleteLater()
        self.rows = []
        for at, line in enumerate(self.editing.lines):
            keys, name, means = KeyField(line.keys), QLineEdit(line.name), QLineEdit(line.means)
            keys.setAccessibleName(f"Keys of line {at + 1}")
            name.setAccessibleName(f"Name of line {at + 1}")
            name.setPlaceholderText("name")
            means.setAccessibleName(f"Action of line {at + 1}")
            means.setPlaceholderText("action, such as 2")
            means.setToolTip("An action as JSON, the name of one, or for continuous actions: axis 0: -1")
            keys.pressed.connect(lambda pressed, at=at: self.editing.put(at, keys=pressed))
            name.textEdited.connect(lambda text, at=at: self.editing.put(at, name=text))
            means.textEdited.connect(lambda text, at=at: self.editing.put(at, means=text))
            gone = tool("✕", tip=f"Take line {at + 1} away", flat=True, act=partial(self._remove, at))
            for column, widget in enumerate((keys, name, means, gone)):
                self._grid.addWidget(widget, at, column)
            self.rows.append((keys, name, means, gone))
        self.add.setEnabled(len(self.rows) < MOST_LINES)
        self._show_problem()

    def _add(self) -> None:
        self.editing.add()
        self._fill()
        self.rows[-1][0].setFocus()

    def _remove(self, at: int) -> None:
        self.editing.remove(at)
        self._fill()

    def _show_problem(self) -> None:
        problem = self.editing.problem
        self.problem.say(problem)
        self.save.setEnabled(not problem)

    def _save(self) -> None:
        try:
            self.saved.emit(self.editing.keys())
        except UsageError as error:
            self.problem.say(str(error))


class KeysView(QWidget):
    """Qt view of the keys of a Playing.

    Args:
        context: the window's; its `ops` write the file.
        playing: whose keys.
    """

    def __init__(self, context: Context, playing: Playing) -> None:
        super().__init__()
        self._context, self._playing = context, playing
        self.said = Note()
        self.said.setObjectName("keys")
        self.change = tool("Keys…", tip="Change the keys of this environment", act=self.edit)
        self.change.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.editor: KeysEditor | None = None
        head = QHBoxLayout()
        head.setSpacing(GAP)
        head.addWidget(self.said, 1)
        head.addWidget(self.change, 0, Qt.AlignmentFlag.AlignTop)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(head)

    def refresh(self) -> None:
        """Show them as they are."""
        keys = self._playing.keys
        self.said.say(keys_said(keys) or "No keys: click in the scene, or add keys of your own.")
        self.change.setVisible(self._playing.offer is not None)
        if self._playing.offer is None:
            self._close()

    def edit(self) -> None:
        """Open the place where keys are changed, or close it."""
        if self.editor is not None:
            self._close()
            return
        playing = self._playing
        playing.capture(captured=False)
        yours = playing.keys.source == key_files.YOURS
        self.editor = KeysEditor(KeyEditing(playing.keys, space=playing.space), yours=yours)
        self.editor.saved.connect(self._save)
        self.editor.forgotten.connect(self._forget)
        self.editor.closed.connect(self._close)
        self._column.addWidget(self.editor)
        if self.editor.rows:
            self.editor.rows[0][0].setFocus()

    def _save(self, keys: KeyMap) -> None:
        offer, root, space = self._playing.offer, self._context.root, self._playing.space
        if offer is None:
            return

        def kept(saved: KeyMap) -> None:
            self._playing.set_keys(saved)
            self._close()
            self._context.toasts.say(f"Your keys for {offer.env_id} are kept.", level="good")

        self._context.ops.run(
            lambda: key_files.save(root, offer.env_id, keys, space=space), done=kept, failed=self._failed
        )

    def _forget(self) -> None:
        offer, root = self._playing.offer, self._context.root
        if offer is None:
            return

        def gone(_: None) -> None:
            self._playing.forget_keys()
            self._close()

        self._context.ops.run(lambda: key_files.forget(root, offer.env_id), done=gone, failed=self._failed)

    def _failed(self, why: str) -> None:
        if self.editor is not None:
            self.editor.problem.say(why)

    def _close(self) -> None:
        if self.editor is not None:
            self.editor.hide()
            self.editor.deleteLater()
            self.editor = None
