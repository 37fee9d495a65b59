"""Garbage is collected on the window's thread, by a timer, while Python's own collection rests."""

from __future__ import annotations

import gc
import threading
from typing import TYPE_CHECKING

from mosaic.ui.shell.garbage import Garbage

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


class Ring:
    """Garbage only the collector finds; says on which thread it was found."""

    def __init__(self, died: list[threading.Thread]) -> None:
        self.me = self
        self._died = died

    def __del__(self) -> None:
        self._died.append(threading.current_thread())


def test_what_another_thread_leaves_dies_on_the_windows_thread(qtbot: QtBot) -> None:
    gc.enable()
    garbage = Garbage(every_ms=10)
    garbage.start()
    died: list[threading.Thread] = []
    try:
        assert not gc.isenabled()

        def litter() -> None:
            for _ in range(5000):
                Ring(died)

        thread = threading.Thread(target=litter)
        thread.start()
        thread.join()
        qtbot.waitUntil(lambda: len(died) == 5000, timeout=30_000)
        assert set(died) == {threading.main_thread()}
    finally:
        garbage.close()
    assert gc.isenabled()
    gc.disable()  # as the fixture of these tests wants it


def test_a_little_garbage_waits_and_more_of_it_is_collected(qtbot: QtBot) -> None:
    garbage = Garbage(every_ms=600_000)
    garbage.start()
    died: list[threading.Thread] = []
    try:
        Ring(died)
        garbage.look()
        assert died == [], "a look costs next to nothing while there is next to nothing to collect"
        while gc.get_count()[0] <= gc.get_threshold()[0]:
            Ring(died)
        garbage.look()
        assert died
    finally:
        garbage.close()
