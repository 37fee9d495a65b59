"""A scene in a widget: drawn by the common commands, played by mouse and by keyboard."""

from __future__ import annotations

import random
from typing import Any
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from mosaic.render import hit
from mosaic.render.painting import Circle, Fit, Path, Rectangle, Stroke, Words, paint
from mosaic.render.svg import svg
from mosaic.render.themes import DARK, LIGHT
from mosaic.ui.shell.widgets.scene_view import SceneView, draw
from mosaic_worker.common.scene import Box, Disc, Rect, Scene
from tests.render.shown import ALL, MOVES
from tests.ui.looks import themed
from tests.worker.scenes.playing import found, made


class Heard:
    """What a view said."""

    def __init__(self, view: SceneView) -> None:
        self.chosen: list[int] = []
        self.refused: list[str] = []
        view.chosen.connect(self.chosen.append)
        view.refused.connect(self.refused.append)


@pytest.fixture
def view(qtbot: QtBot) -> SceneView:
    view = SceneView("Board", playable=True)
    qtbot.addWidget(view)
    view.resize(316, 216)  # 100 pixels a cell, 8 at each edge
    view.show_scene(MOVES)
    view.show()
    return view


@pytest.fixture
def heard(view: SceneView) -> Heard:
    return Heard(view)


def middle(view: SceneView, box: Box) -> QPoint:
    x, y, w, h = view.fitted().pixels(box)
    return QPointF(x + w / 2, y + h / 2).toPoint()


def click(qtbot: QtBot, view: SceneView, x: float, y: float) -> None:
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=middle(view, (x, y, 1, 1)))


def point_at(view: SceneView, x: float, y: float) -> None:
    """Move the mouse there, as the window system says it: the pointer itself is not ours in a test."""
    at = QPointF(middle(view, (x, y, 1, 1)))
    none = Qt.MouseButton.NoButton
    event = QMouseEvent(
        QMouseEvent.Type.MouseMove, at, view.mapToGlobal(at), none, none, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(view, event)


def grabbed(scene: Scene, at: Fit, width: int, height: int) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#123456"))
    painter = QPainter(image)
    draw(painter, paint(scene, at, LIGHT))
    painter.end()
    return image


def test_a_click_is_an_action_and_one_that_is_none_is_answered(
    qtbot: QtBot, view: SceneView, heard: Heard
) -> None:
    click(qtbot, view, 0, 0)
    click(qtbot, view, 1, 0)
    assert (heard.chosen, heard.refused) == ([5], ["It is full."])


def test_two_clicks_are_a_move(qtbot: QtBot, view: SceneView, heard: Heard) -> None:
    click(qtbot, view, 0, 1)
    assert [move.action for move in view.begun] == [7, 8, 9]
    click(qtbot, view, 2, 0)
    assert heard.chosen == [9]
    assert view.begun == ()


def test_a_drag_is_a_move(qtbot: QtBot, view: SceneView, heard: Heard) -> None:
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=middle(view, (0, 1, 1, 1)))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=middle(view, (2, 0, 1, 1)))
    assert heard.chosen == [9]


def test_a_move_to_where_it_cannot_go_says_why_and_is_forgotten(
    qtbot: QtBot, view: SceneView, heard: Heard
) -> None:
    click(qtbot, view, 0, 1)
    click(qtbot, view, 1, 1)
    assert (heard.chosen, heard.refused, view.begun) == ([], ["It would be lost."], ())


def test_moves_with_the_same_two_ends_are_chosen_from(qtbot: QtBot, view: SceneView, heard: Heard) -> None:
    click(qtbot, view, 0, 1)
    click(qtbot, view, 2, 1)
    assert heard.chosen == []
    menu = view.menu
    assert menu is not None
    assert [action.text() for action in menu.actions()] == ["Queen", "Rook"]
    menu.actions()[1].trigger()
    assert heard.chosen == [8]
    assert view.menu is None


def test_keys_go_from_area_to_area_choose_and_take_back(qtbot: QtBot, view: SceneView, heard: Heard) -> None:
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Return):
        QTest.keyClick(view, key)
    assert heard.chosen == [5]
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Return):
        QTest.keyClick(view, key)
    assert [move.action for move in view.begun] == [7, 8, 9]
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert view.begun == ()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Space):
        QTest.keyClick(view, key)
    assert heard.chosen == [5, 9]


def test_keys_that_are_none_of_its_own_are_left_to_the_window(qtbot: QtBot, view: SceneView) -> None:
    for key, modifier in (
        (Qt.Key.Key_Q, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier),
        (Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier),
    ):
        event = QKeyEvent(QKeyEvent.Type.KeyPress, key.value, modifier)
        event.accept()
        view.keyPressEvent(event)
        assert not event.isAccepted(), key


def test_a_view_that_is_not_played_only_shows(qtbot: QtBot, view: SceneView, heard: Heard) -> None:
    view.set_playable(False)
    click(qtbot, view, 0, 0)
    click(qtbot, view, 1, 0)
    point_at(view, 0, 0)
    QTest.keyClick(view, Qt.Key.Key_Right)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert (heard.chosen, heard.refused) == ([], [])
    assert view.commands() == paint(MOVES, view.fitted(), LIGHT)


def test_what_the_mouse_is_on_is_marked(view: SceneView) -> None:
    plain = view.commands()
    point_at(view, 0, 0)
    assert view.commands()[:-1] == plain
    assert isinstance(view.commands()[-1], Circle)
    assert view.cursor().shape() == Qt.CursorShape.PointingHandCursor
    point_at(view, 1, 0)
    assert view.commands() == plain
    point_at(view, 0, 1)
    assert len(view.commands()) == len(plain) + 3
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert view.commands() == plain


def test_a_new_scene_forgets_what_was_begun(qtbot: QtBot, view: SceneView, heard: Heard) -> None:
    click(qtbot, view, 0, 1)
    view.show_scene(ALL)
    assert view.begun == ()
    click(qtbot, view, 2, 0)
    assert heard.chosen == []
    view.show_scene(None)
    click(qtbot, view, 0, 0)
    assert view.commands() == []


def test_who_hears_the_window_hears_the_scene(view: SceneView, qtbot: QtBot) -> None:
    assert view.accessibleName() == "Board"
    assert view.accessibleDescription() == "Moves."
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.accessibleName() == "Board: one"


def test_what_has_no_fill_stays_empty() -> None:
    hollow = Scene(1, 1, (Rect(0.1, 0.1, 0.8, 0.8, "", "wall", 0.1), Disc(0.5, 0.5, 0.3, "", "wall", 0.1)))
    assert grabbed(hollow, Fit(0, 0, 100), 100, 100).pixelColor(50, 50) == QColor("#123456")


def test_a_scene_keeps_its_proportions_in_any_room(view: SceneView) -> None:
    view.resize(700, 216)
    at = view.fitted()
    assert (at.cell, at.left, at.top) == (100, 200, 8)
    assert view.grab().toImage().pixelColor(10, 100) != QColor(LIGHT["board.light"])
    assert view.grab().toImage().pixelColor(210, 100) == QColor(LIGHT["board.light"])


def test_the_theme_of_the_window_chooses_the_colours(view: SceneView, qapp: QApplication) -> None:
    with themed(qapp) as theme:
        assert view.grab().toImage().pixelColor(280, 20) == QColor(LIGHT["board.light"])
        theme.choose("dark")
        assert view.grab().toImage().pixelColor(280, 20) == QColor(DARK["board.light"])


NOTED = {
    "drawRect": "rect",
    "drawRoundedRect": "rect",
    "drawEllipse": "circle",
    "drawLine": "line",
    "drawPath": "path",
    "drawText": "text",
}


class Noting:
    """A painter that notes what it draws."""

    def __init__(self, painter: QPainter) -> None:
        self._painter = painter
        self.drawn: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name in NOTED:
            self.drawn.append(NOTED[name])
        return getattr(self._painter, name)


def test_both_painters_draw_the_same_commands_in_the_same_order(qapp: QApplication) -> None:
    env = made("chess_v6")
    for scene in (ALL, found(env)):
        image = QImage(400, 400, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        noting: Any = Noting(painter)
        draw(noting, paint(scene, Fit(0, 0, 48), LIGHT))
        painter.end()
        root = ElementTree.fromstring(svg(scene, cell=48))
        assert noting.drawn == [one.tag.rpartition("}")[2] for one in root[2:]]
    assert {Rectangle, Circle, Stroke, Path, Words} == {type(one) for one in paint(ALL, Fit(0, 0, 48), LIGHT)}


def test_what_covers_a_point_has_its_colour(qapp: QApplication) -> None:
    image = grabbed(ALL, Fit(0, 0, 100), 400, 200)
    assert image.pixelColor(250, 50) == QColor(LIGHT["piece.red"])
    assert image.pixelColor(355, 159) == QColor(LIGHT["piece.black"])  # the knight's neck
    assert image.pixelColor(20, 180) == QColor(LIGHT["board.light"])


@pytest.mark.parametrize(
    ("name", "options"), [("connect_four_v3", {}), ("chess_v6", {}), ("go_v5", {"board_size": 5})]
)
def test_a_game_is_played_in_the_widget_by_the_mouse(
    qtbot: QtBot, name: str, options: dict[str, Any]
) -> None:
    env = made(name, **options)
    view = SceneView(name, playable=True)
    qtbot.addWidget(view)
    view.resize(600, 640)
    view.show()
    heard = Heard(view)
    dice = random.Random(3)
    for _ in range(20):
        if env.last()[2]:
            break
        scene = found(env, env.agent_selection)
        view.show_scene(scene)
        move = dice.choice([hot for hot in scene.hot if hot.action is not None and not hot.choice])
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=middle(view, move[:4]))
        if move.to is not None:
            QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=middle(view, move.to))
        assert heard.chosen[-1] == move.action
        env.step(heard.chosen[-1])
    assert heard.refused == []
    assert len(heard.chosen) >= 7
    assert hit.boxes(found(env)) or env.last()[2]
