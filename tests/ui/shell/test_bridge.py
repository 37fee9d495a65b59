"""The one way into the window's thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from mosaic.ui.shell.bridge import Bridge

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_calls_from_any_thread_arrive_on_this_one_in_order(qtbot: QtBot) -> None:
    bridge = Bridge()
    came: list[tuple[int, threading.Thread]] = []

    def tell() -> None:
        for number in range(100):
            bridge.post(lambda number=number: came.append((number, threading.current_thread())))  # type: ignore[misc]

    teller = threading.Thread(target=tell)
    teller.start()
    teller.join()
    assert came == [], "nothing arrives before the window's thread looks"
    qtbot.waitUntil(lambda: len(came) == 100, timeout=30_000)
    assert [number for number, _ in came] == list(range(100))
    assert {thread for _, thread in came} == {threading.current_thread()}


def test_once_closed_nothing_arrives_any_more(qtbot: QtBot) -> None:
    bridge = Bridge()
    came: list[str] = []
    bridge.post(lambda: came.append("before"))
    bridge.close()
    bridge.post(lambda: came.append("after"))
    other = Bridge()
    other.post(lambda: came.append("other"))
    qtbot.waitUntil(lambda: bool(came), timeout=30_000)
    assert came == ["other"]
