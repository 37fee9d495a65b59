"""Qt view of `Beside`: two frames with what is known of each, and the line that says what they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from mosaic.text import count, visible
from mosaic.ui.replay.showing import show
from mosaic.ui.shell.theme import GAP, TIGHT, tone
from mosaic.ui.shell.widgets.surface import Surface

if TYPE_CHECKING:
    import numpy.typing as npt
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent, QPaintEvent

    from mosaic.ui.replay.beside import Beside
    from mosaic.ui.replay.beside_model import Track
    from mosaic.ui.replay.model import Transport
    from mosaic.ui.replay.replaying import Replaying
    from mosaic.ui.replay.timeline import Timeline
    from mosaic.ui.shell.theme import Tone

__all__ = ["BesideStrip", "BesideView", "padded"]

_ORIGINAL: Tone = "accent"
_BRANCH: Tone = "good"
_ROW, _SPACE = 9, 3


class _Side(NamedTuple):
    """One of the two: what it is called, its frame, where it stands."""

    title: QLabel
    view: Surface
    foot: QLabel
    colour: Tone


class BesideView(QWidget):
    """The original on the left, the branch on the right, in step with the transport.

    Args:
        beside: which two.
        replaying: the open episode, one of the two.
    """

    def __init__(self, beside: Beside, replaying: Replaying) -> None:
        super().__init__()
        self._beside, self._replaying = beside, replaying
        self.original = _side("Original frame", _ORIGINAL)
        self.branch = _side("Branch frame", _BRANCH)
        self.sentence = _label("What they share")
        self.choice = QComboBox()
        self.choice.setAccessibleName("Beside which run")
        self.choice.activated.connect(self._choose)
        self.jump = QPushButton("Where they part")
        self.jump.setToolTip("Go to the first step that differs (P)")
        self.jump.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.jump.clicked.connect(beside.jump)
        head = QHBoxLayout()
        head.setContentsMargins(0, TIGHT, GAP, TIGHT)
        head.addWidget(self.sentence, 1)
        head.addWidget(self.choice)
        head.addWidget(self.jump)
        frames = QHBoxLayout()
        frames.setSpacing(GAP)
        for side in (self.original, self.branch):
            column = QVBoxLayout()
            column.setSpacing(TIGHT)
            column.addWidget(side.title)
            column.addWidget(side.view, 1)
            column.addWidget(side.foot)
            frames.addLayout(column, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(head)
        whole.addLayout(frames, 1)
        beside.changed.connect(self._show)
        beside.painted.connect(self._paint_other)
        replaying.painted.connect(self._paint_mine)
        replaying.transport.changed.connect(self._tell)
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        """Another theme, other colours."""
        if event.type() == event.Type.PaletteChange:
            self._tint()
        super().changeEvent(event)

    def _show(self) -> None:
        beside, pair = self._beside, self._beside.pair
        if pair is None:
            for side in (self.original, self.branch):
                side.view.clear()
            return
        self.sentence.setText(beside.why or pair.sentence())
        self.jump.setEnabled(pair.parts_at is not None)
        self.choice.clear()
        for one in beside.found:
            self.choice.addItem(one.title)
        if beside.other in beside.found:
            self.choice.setCurrentIndex(beside.found.index(beside.other))
        self.choice.setVisible(len(beside.found) > 1)
        for side, what, track in (
            (self.original, "Original", pair.original),
            (self.branch, "Branch", pair.branch),
        ):
            side.title.setText(
                f"{what} · episode {count(track.episode)} · {visible(track.name) or track.run_id}"
            )
        self._tint()
        self._tell()
        self._paint_mine()

    def _tint(self) -> None:
        for side in (self.original, self.branch):
            side.title.setStyleSheet(f"color: {tone(side.colour, self.palette()).name()}; font-weight: bold")

    def _tell(self) -> None:
        pair = self._beside.pair
        if pair is not None:
            position = self._replaying.transport.position
            self.original.foot.setText(pair.original.told(position))
            self.branch.foot.setText(pair.branch.told(position))

    def _sides(self) -> tuple[Surface, Surface] | None:
        """Where the open episode is, and where the other one."""
        other = self._beside.other
        if self._beside.pair is None or other is None:
            return None
        views = self.branch.view, self.original.view
        return views if other.original else (views[1], views[0])

    def _paint_mine(self) -> None:
        sides, shown = self._sides(), self._replaying.shown
        if sides is not None:
            show(sides[0], shown, view=self._replaying.view)

    def _paint_other(self) -> None:
        sides, shown = self._sides(), self._beside.shown
        if sides is not None:
            show(sides[1], shown, view=self._replaying.view)

    def _choose(self, line: int) -> None:
        if 0 <= line < len(self._beside.found):
            self._beside.choose(self._beside.found[line])


class BesideStrip(QWidget):
    """Two bars over the timeline: what the episodes share, where the branch begins, where they part.

    Args:
        beside: which two.
        timeline: whose scale they are drawn to.
        transport: moved by clicks, as on the timeline.
    """

    def __init__(self, beside: Beside, timeline: Timeline, transport: Transport) -> None:
        super().__init__()
        self._beside, self._timeline, self._transport = beside, timeline, transport
        self.setAccessibleName("Original and branch")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        beside.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        pair = self._beside.pair
        self.setVisible(pair is not None)
        if pair is not None:
            self.setAccessibleDescription(pair.sentence())
            self.setToolTip(f"{pair.sentence()} The branch begins after step {count(pair.branched_at)}.")
        self.update()

    def sizeHint(self) -> QSize:
        """Two bars and their gaps."""
        return QSize(300, 2 * _ROW + 3 * _SPACE)

    def minimumSizeHint(self) -> QSize:
        """Never flatter."""
        return QSize(120, 2 * _ROW + 3 * _SPACE)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go there."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._transport.seek(self._timeline.position_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag to seek."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._transport.seek(self._timeline.position_at(event.position().x()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw both bars and the two marks."""
        pair = self._beside.pair
        if pair is None:
            return
        painter = QPainter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        self._bar(painter, pair.original, pair.shared, _ORIGINAL, 0)
        self._bar(painter, pair.branch, pair.shared, _BRANCH, 1)
        x_of, text = self._timeline.x_of, self.palette().color(QPalette.ColorRole.Text)
        begins = x_of(pair.branched_at)
        painter.setPen(QPen(text, 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(begins, 0), QPointF(begins, self.height()))
        if pair.parts_at is not None:
            x = x_of(pair.parts_at)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(tone("bad", self.palette()), 1.5))
            painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
            painter.setBrush(tone("bad", self.palette()))
            painter.drawPolygon(QPolygonF([QPointF(x - 4, 0), QPointF(x + 4, 0), QPointF(x, 6)]))
        painter.end()

    def _bar(self, painter: QPainter, track: Track, shared: int, colour: Tone, line: int) -> None:
        x_of, top = self._timeline.x_of, _SPACE + line * (_ROW + _SPACE)
        alike = QColor(tone("quiet", self.palette()))
        alike.setAlpha(110)
        painter.fillRect(QRectF(x_of(0), top, x_of(min(shared, track.last)) - x_of(0), _ROW), alike)
        if track.last > shared:
            own = QColor(tone(colour, self.palette()))
            painter.fillRect(QRectF(x_of(shared), top, x_of(track.last) - x_of(shared), _ROW), own)


def padded(rewards: npt.NDArray[np.float64], last: int) -> npt.NDArray[np.float64]:
    """Rewards on a line that may be longer than their episode: nothing is drawn beyond it."""
    return np.concatenate([rewards, np.full(max(0, last - len(rewards)), np.nan)])


def _side(name: str, colour: Tone) -> _Side:
    return _Side(_label(f"{name}: which"), Surface(name), _label(f"{name}: where it stands"), colour)


def _label(name: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setAccessibleName(name)
    label.setContentsMargins(GAP, 0, GAP, 0)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return label
