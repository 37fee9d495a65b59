"""Qt view of a scene: fitted, drawn by the commands every painter draws, and played by mouse or keyboard.

A click on a hot area, or a drag from one to another, is an action; a click that is none is answered with the
reason. The arrow keys go from area to area, Enter chooses, Escape takes a move back that was begun. Knows no
game, and steps nothing: whoever shows it decides what a chosen action does.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPainterPath, QPalette, QPen
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from mosaic.render import hit
from mosaic.render.painting import Circle, Fit, Path, Rectangle, Stroke, Words, fit, focus_on, marks_of, paint
from mosaic.render.themes import DARK, LIGHT
from mosaic.ui.shell.theme import is_dark

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent

    from mosaic.render.painting import Command, Outline
    from mosaic.render.themes import Theme
    from mosaic_worker.common.scene import Box, Hot, Scene

__all__ = ["SceneView", "draw"]

_MARGIN = 8.0
_WAYS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_BEVEL = Qt.PenJoinStyle.BevelJoin
_CHOOSE = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


def draw(painter: QPainter, commands: Iterable[Command]) -> None:
    """Draw commands, the first at the bottom."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for command in commands:
        painter.setOpacity(command.alpha)
        match command:
            case Rectangle(x, y, w, h, fill, stroke, width, radius):
                _ready(painter, fill, stroke, width)
                if radius:
                    painter.drawRoundedRect(QRectF(x, y, w, h), radius, radius)
                else:
                    painter.drawRect(QRectF(x, y, w, h))
            case Circle(x, y, r, fill, stroke, width):
                _ready(painter, fill, stroke, width)
                painter.drawEllipse(QPointF(x, y), r, r)
            case Stroke(x, y, x2, y2, stroke, width):
                _ready(painter, "", stroke, width)
                painter.drawLine(QPointF(x, y), QPointF(x2, y2))
            case Path(x, y, outline, fill, stroke, width):
                _ready(painter, fill, stroke, width, _BEVEL)  # of thin edges; round joins take twice as long
                painter.drawPath(_path(outline).translated(x, y))
            case Words(x, y, size, text, fill, bold):
                font = QFont("DejaVu Sans")
                font.setPixelSize(max(1, round(size)))  # fonts below one unit do not scale: pixels, always
                font.setBold(bold)
                painter.setFont(font)
                painter.setPen(QColor(fill))
                room = size * (len(text) + 2)
                where = QRectF(x - room, y - size, 2 * room, 2 * size)
                painter.drawText(where, Qt.AlignmentFlag.AlignCenter, text)
    painter.setOpacity(1.0)


def _ready(
    painter: QPainter, fill: str, stroke: str, width: float, join: Qt.PenJoinStyle = Qt.PenJoinStyle.MiterJoin
) -> None:
    # An empty colour leaves the brush or pen out: QColor of a word it does not know is black.
    painter.setBrush(QBrush(QColor(fill)) if fill else Qt.BrushStyle.NoBrush)
    if not stroke:
        painter.setPen(Qt.PenStyle.NoPen)
        return
    painter.setPen(QPen(QColor(stroke), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, join))


@functools.lru_cache(maxsize=256)  # as many as there are outlines at a time
def _path(outline: Outline) -> QPainterPath:
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.OddEvenFill)
    for points in outline.polygons:
        path.moveTo(*points[0])
        for point in points[1:]:
            path.lineTo(*point)
        if outline.closed:
            path.closeSubpath()
    return path


class SceneView(QWidget):
    """Shows the newest scene it was given.

    Args:
        name: what is shown; followed by what the scene says, for people who hear it.
        playable: whether clicks and keys are moves; otherwise the view only shows.
    """

    chosen = Signal(int)
    """This action was chosen."""
    refused = Signal(str)
    """A click was no legal move, and why."""

    def __init__(self, name: str, *, playable: bool = False) -> None:
        super().__init__()
        self._name = name
        self._playable = playable
        self._scene: Scene | None = None
        self._commands: list[Command] = []
        self._painted_for: object = None
        self._hovered: tuple[Hot, ...] = ()
        self._begun: tuple[Hot, ...] = ()
        self._pressed_at: QPointF | None = None
        self._cursor: Box | None = None
        self._menu: QMenu | None = None
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    @property
    def scene(self) -> Scene | None:
        """What is shown."""
        return self._scene

    @property
    def begun(self) -> tuple[Hot, ...]:
        """The moves that begin with what was picked up."""
        return self._begun

    @property
    def menu(self) -> QMenu | None:
        """The choice between moves that differ in neither end, while it is open."""
        return self._menu

    def show_scene(self, scene: Scene | None) -> None:
        """Show this scene; None shows nothing. A move that was begun in the one before is forgotten."""
        if scene == self._scene:
            return
        self._scene = scene
        self._painted_for = None
        self._forget()
        self._hovered = ()
        if scene is not None and self._cursor is not None and self._cursor not in hit.boxes(scene):
            self._cursor = None
        self.setAccessibleName(self._name)
        self.setAccessibleDescription(scene.says if scene is not None else "")
        self.update()

    def set_playable(self, playable: bool) -> None:
        """Whether clicks and keys are moves."""
        self._playable = playable
        self._forget()
        self._hovered, self._cursor = (), None
        self.unsetCursor()
        self.update()

    def sizeHint(self) -> QSize:
        """A usual board."""
        return QSize(480, 480)

    def minimumSizeHint(self) -> QSize:
        """Small enough for any window."""
        return QSize(120, 120)

    def fitted(self) -> Fit:
        """Where the scene lies in the widget."""
        if self._scene is None:
            return Fit(0.0, 0.0, 1.0)
        ratio = self.devicePixelRatioF()
        return fit(self._scene, self.width(), self.height(), margin=_MARGIN, ratio=ratio)

    def commands(self) -> list[Command]:
        """What is painted: the scene, and above it what the mouse or the keyboard is on."""
        if self._scene is None:
            return []
        theme, at = self._theme(), self.fitted()
        made_for = (at, id(theme))
        if self._painted_for != made_for:
            self._commands, self._painted_for = paint(self._scene, at, theme), made_for
        above: list[Command] = []
        if self._begun:
            above.append(focus_on(self._begun[0][:4], at, theme))
        above += marks_of(self._begun or self._hovered, at, theme)
        if self._cursor is not None and self.hasFocus():
            above.append(focus_on(self._cursor, at, theme))
        return [*self._commands, *above]

    def _theme(self) -> Theme:
        return DARK if is_dark(self.palette()) else LIGHT

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the scene on a quiet ground."""
        painter = QPainter(self)
        ground = self.palette().color(QPalette.ColorRole.Window)
        painter.fillRect(self.rect(), ground.darker(108) if ground.lightness() > 127 else ground.darker(130))
        draw(painter, self.commands())
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(self.palette().color(QPalette.ColorRole.Highlight))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    # By mouse: a click, two clicks, or a drag.

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show what could be done here."""
        if self._scene is None or not self._playable:
            return
        answer = hit.press(self._scene, *self._cells(event.position()))
        hovered = answer.moves or answer.begun
        self.setCursor(Qt.CursorShape.PointingHandCursor if hovered else Qt.CursorShape.ArrowCursor)
        if hovered != self._hovered:
            self._hovered = hovered
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Make a move, begin one, or say why not."""
        if event.button() != Qt.MouseButton.LeftButton or self._scene is None or not self._playable:
            return
        self._cursor = None
        x, y = self._cells(event.position())
        self._pressed_at = event.position()
        if self._begun:
            again = hit.press(self._scene, x, y).begun
            if again and again != self._begun:
                self._begin(again)
                return
            if not again:
                self._finish(self._scene, x, y)
            return
        self._answer(hit.press(self._scene, x, y))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of what was dragged; letting go where it was picked up waits for a second click."""
        pressed, self._pressed_at = self._pressed_at, None
        if pressed is None or not self._begun or self._scene is None:
            return
        x, y = self._cells(event.position())
        if hit.press(self._scene, x, y).begun != self._begun:
            self._finish(self._scene, x, y)

    def leaveEvent(self, _event: QEvent) -> None:
        """Nothing is pointed at any more."""
        self._hovered = ()
        self.update()

    # By keyboard.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from area to area, choose, take back."""
        scene = self._scene
        key = Qt.Key(event.key())
        if scene is None or not self._playable or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
            return
        if key in _WAYS:
            found = hit.ends(self._begun) if self._begun else hit.boxes(scene)
            self._cursor = hit.beside(found, self._cursor, _WAYS[key])
            self._hovered = self._under_cursor(scene)
            self.update()
        elif key in _CHOOSE and self._cursor is not None:
            x, y = self._cursor[0] + self._cursor[2] / 2, self._cursor[1] + self._cursor[3] / 2
            if self._begun:
                self._finish(scene, x, y)
            else:
                self._answer(hit.press(scene, x, y))
        elif key == Qt.Key.Key_Escape and self._begun:
            self._cursor = self._begun[0][:4]
            self._forget()
        else:
            super().keyPressEvent(event)

    def _under_cursor(self, scene: Scene) -> tuple[Hot, ...]:
        if self._begun or self._cursor is None:
            return ()
        found = tuple(hot for hot in scene.hot if hot.action is not None and hot[:4] == self._cursor)
        self.setAccessibleName(f"{self._name}: {found[0].label}" if found else self._name)
        return found

    # Both.

    def _cells(self, position: QPointF) -> tuple[float, float]:
        return self.fitted().cells(position.x(), position.y())

    def _answer(self, answer: hit.Answer) -> None:
        if answer.begun:
            self._begin(answer.begun)
        elif len(answer.moves) == 1:
            self._choose(answer.moves[0])
        elif answer.moves:
            self._ask(answer.moves)
        elif answer.why:
            self.refused.emit(answer.why)

    def _begin(self, begun: tuple[Hot, ...]) -> None:
        self._begun = begun
        self.update()

    def _finish(self, scene: Scene, x: float, y: float) -> None:
        answer = hit.release(scene, self._begun, x, y)
        if not answer.moves:
            self._forget()
        self._answer(answer)

    def _ask(self, moves: tuple[Hot, ...]) -> None:
        menu = QMenu(self)
        for move in moves:
            menu.addAction(move.choice.capitalize() or move.label).triggered.connect(
                lambda _checked=False, one=move: self._choose(one)
            )
        menu.aboutToHide.connect(self._forget)
        self._menu = menu
        left, top, _, height = self.fitted().pixels(moves[0].to or moves[0][:4])
        menu.popup(self.mapToGlobal(QPointF(left, top + height).toPoint()))

    def _choose(self, move: Hot) -> None:
        self._forget()
        self._hovered = ()
        if move.action is not None:
            self.chosen.emit(move.action)

    def _forget(self) -> None:
        self._begun = ()
        menu, self._menu = self._menu, None
        if menu is not None:
            menu.deleteLater()
        self.update()
