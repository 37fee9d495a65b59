"""The banner: there while the daemon is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.shell.banner import Banner
from mosaic.ui.shell.model.link import Link

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_it_shows_while_the_daemon_does_not_answer_and_what_it_waits_for(qtbot: QtBot) -> None:
    link = Link()
    banner = Banner(link)
    qtbot.addWidget(banner)
    assert not banner.isHidden()
    assert "Waiting for the daemon" in banner.label.text()
    link.connect()
    assert banner.isHidden()
    link.lose("Runs go on.")
    assert not banner.isHidden()
    assert banner.label.text() == "The daemon is gone; reconnecting… Runs go on."
