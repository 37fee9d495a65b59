"""Qt view of `Several`: the chosen sessions as a grid, asked as one; below it what each came to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from mosaic.protocol.cards import SESSION_RUNNER
from mosaic.ui.play.cell import Cell
from mosaic.ui.play.line import is_playing
from mosaic.ui.play.results_view import ResultsView
from mosaic.ui.shell.model.actions import Action
from mosaic.ui.shell.theme import GAP, TIGHT
from mosaic.ui.shell.widgets.bits import Note
from mosaic.ui.shell.widgets.controls import tool
from mosaic.ui.shell.widgets.message import Message

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from mosaic.protocol.runs import RunRow
    from mosaic.ui.play.model.results import Results
    from mosaic.ui.play.model.several import Several
    from mosaic.ui.shell.context import Context

__all__ = ["SideBySide"]

_LOOK_MILLIS = 33
_MOST_SEED = 2**31 - 1
_NONE = (
    "Choose sessions in the list of runs, several with Ctrl: those that go on are shown here side by side."
)


class SideBySide(QWidget):
    """Qt view of Several and of Results. Hidden, it is connected to nothing and asks for no frame.

    Args:
        context: shared by all parts of the window.
        several: the sessions.
        results: what they came to.
    """

    def __init__(self, context: Context, several: Several, results: Results) -> None:
        super().__init__()
        self._context, self.several, self.results = context, several, results
        self.cells: dict[str, Cell] = {}
        self._looking = False
        self._grid_body = QWidget()
        self._grid = QGridLayout(self._grid_body)
        self._grid.setContentsMargins(GAP, 0, GAP, 0)
        self.message, self.trouble = Message(_NONE), Note(meaning="bad")
        self.stack = QStackedWidget()
        self.stack.addWidget(self.message)
        self.stack.addWidget(self._grid_body)
        self.table = ResultsView(context, results)
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.stack)
        split.addWidget(self.table)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, TIGHT, 0, 0)
        column.setSpacing(TIGHT)
        column.addLayout(self._tools())
        column.addWidget(self.trouble)
        column.addWidget(split, 1)
        self._timer = QTimer(self, interval=_LOOK_MILLIS)
        self._timer.timeout.connect(self._look)
        self._unhear = [
            context.selection.changed.connect(self._follow),
            context.runs.changed.connect(lambda _: self._follow()),
            several.changed.connect(self._arrange),
            several.stood.connect(self._show),
            results.changed.connect(self._show_results),
        ]
        self._follow()
        self._show()

    def _tools(self) -> QHBoxLayout:
        several = self.several
        self.reset = QPushButton("Reset all")
        self.reset.setToolTip(
            "Every session cuts its episode and begins anew, with the seed beside if there is one"
        )
        self.reset.clicked.connect(self._reset)
        self.seed = QLineEdit()
        self.seed.setPlaceholderText("shared seed")
        self.seed.setAccessibleName("Seed for all sessions; empty: each as planned")
        self.seed.setValidator(QIntValidator(0, _MOST_SEED, self.seed))
        self.seed.setMaximumWidth(self.seed.fontMetrics().averageCharWidth() * 16)
        self.seed.returnPressed.connect(self._reset)
        self.step = QPushButton("Step all")
        self.step.clicked.connect(several.step)
        self.pause = QPushButton("Pause all")
        self.pause.clicked.connect(several.pause_or_go)
        self.slower = tool("-", tip="All slower", act=several.slower)
        self.faster = tool("+", tip="All faster", act=several.faster)
        row = QHBoxLayout()
        row.setContentsMargins(GAP, 0, GAP, 0)
        row.setSpacing(TIGHT)
        for widget in (self.pause, self.step, self.slower, self.faster):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.seed)
        row.addWidget(self.reset)
        return row

    def commands(self) -> list[Action]:
        """What can be done with all of them, for menus, palette and keys."""
        several = self.several

        def act(name: str, title: str, call: object, *keys: str) -> Action:
            return Action(id=f"session.{name}_all", title=title, call=call, keys=keys, scope="sessions",  # type: ignore[arg-type]
                          when=lambda: bool(several.connected))  # fmt: skip

        return [
            act("pause", "Pause all sessions, or go on", several.pause_or_go, "Space", "P"),
            act("step", "One step of all sessions", several.step, "N"),
            act("slower", "All sessions slower", several.slower, "["),
            act("faster", "All sessions faster", several.faster, "]"),
            act("reset", "Reset all sessions", self._reset, "Ctrl+Shift+R"),
        ]

    def _reset(self) -> None:
        text = self.seed.text().strip()
        self.several.reset(int(text) if text else None)

    # -- who is shown ------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody looks: connect and ask for frames."""
        super().showEvent(event)
        self._looking = True
        self._follow()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: let everything go."""
        super().hideEvent(event)
        self._looking = False
        self._timer.stop()
        self._follow()

    def shut(self) -> None:
        """Let everything go, for good. Twice is fine."""
        for unhear in self._unhear:
            unhear()
        self._timer.stop()
        for cell in self.cells.values():
            cell.shut()
        self.cells = {}

    def _follow(self) -> None:
        rows = [row for run_id in self._context.selection.chosen if (row := self._context.runs.get(run_id))]
        sessions = [row for row in rows if row.runner == SESSION_RUNNER]
        self.results.turn_to({row.run_id: _name(row) for row in sessions})
        kept = [row for row in sessions if is_playing(row) or row.run_id in self.cells]
        self.several.turn_to([row.run_id for row in kept] if self._looking else ())
        for row in sessions:
            if row.run_id in self.cells:
                self.cells[row.run_id].show_row(row)

    def _arrange(self) -> None:
        for run_id in [run_id for run_id in self.cells if run_id not in self.several.playing]:
            cell = self.cells.pop(run_id)
            cell.shut()
            cell.hide()
            cell.deleteLater()
        columns = math.ceil(math.sqrt(max(1, len(self.several.playing))))
        for at, (run_id, playing) in enumerate(self.several.playing.items()):
            row = self._context.runs.get(run_id)
            if run_id not in self.cells:
                cell = self.cells[run_id] = Cell(self._context, playing, name=_name(row) if row else run_id)
                cell.opened.connect(lambda run_id=run_id: self._context.asks.watch.emit(run_id))
                cell.live.want(True)
            self._grid.addWidget(self.cells[run_id], *divmod(at, columns))
        self.stack.setCurrentWidget(self._grid_body if self.cells else self.message)
        self._show_results()
        self._show()

    # -- what is shown -----------------------------------------------------------------------------

    def _look(self) -> None:
        for cell in self.cells.values():
            cell.look()

    def _show(self) -> None:
        several = self.several
        some = bool(several.connected)
        for button in (self.pause, self.step, self.slower, self.faster, self.reset, self.seed):
            button.setEnabled(some)
        self.pause.setText("Play all" if several.paused else "Pause all")
        self.trouble.say(several.troubles)

    def _show_results(self) -> None:
        for run_id, cell in self.cells.items():
            cell.show_results(self.results.of(run_id))


def _name(row: RunRow) -> str:
    what = row.name or ", ".join(row.env_ids) or "session"
    return f"{what} …{row.run_id[-6:]}"
