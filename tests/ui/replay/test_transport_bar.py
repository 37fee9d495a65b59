"""The buttons of a player: they move it, and show how it stands."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from mosaic.ui.replay.model import SPEEDS, Transport
from mosaic.ui.replay.transport_bar import TransportBar
from mosaic.ui.shell.widgets.icons import icon


def test_every_button_does_what_its_name_says(qtbot: QtBot) -> None:
    transport = Transport(last=9, fps=10.0)
    bar = TransportBar(transport)
    qtbot.addWidget(bar)
    buttons = {button.accessibleName().split(" (")[0]: button for button in bar._signs}
    seen = []
    for name in ("One step on", "One step on", "One step back", "Last step", "First step"):
        buttons[name].click()
        seen.append(transport.position)
    assert seen == [1, 2, 1, 9, 0]
    buttons["Play or pause"].click()
    assert (transport.playing, bar._signs[bar.play]) == (True, "pause")
    buttons["Play or pause"].click()
    assert (transport.playing, bar._signs[bar.play]) == (False, "play")
    buttons["Begin again at the end"].click()
    assert transport.loop
    assert bar.loop.isChecked()
    assert all(button.focusPolicy() == Qt.FocusPolicy.TabFocus for button in bar._signs)


def test_it_shows_speed_direction_and_place(qtbot: QtBot) -> None:
    transport = Transport(last=12_345, fps=10.0)
    bar = TransportBar(transport)
    qtbot.addWidget(bar)
    transport.seek(1234)
    assert bar.position.text() == "Step 1,234 of 12,345"
    transport.shuttle(-1)
    transport.faster()
    assert bar.position.text().endswith("backwards")
    assert bar.speed.currentText() == "2\N{MULTIPLICATION SIGN}"
    bar.speed.activated.emit(len(SPEEDS) - 1)
    assert transport.speed == 32.0


def test_every_sign_can_be_seen(qtbot: QtBot) -> None:
    for sign in ("play", "pause", "forward", "back", "first", "last", "next", "previous", "loop", "full"):
        image = icon(sign).pixmap(32, 32).toImage()
        inked = sum(
            image.pixelColor(x, y).alpha() > 128 for x in range(image.width()) for y in range(image.height())
        )
        assert inked > 40, sign
