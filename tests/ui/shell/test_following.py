"""Following runs: by the number in their rows, one read at a time, and only while somebody looks."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING

import msgspec
import pytest

from mosaic.errors import StoreError
from mosaic.ui.shell import following
from mosaic.ui.shell.following import Following
from tests.ui.rows import row, run_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000
ONE, TWO, OTHER = run_id(1), run_id(2), run_id(3)


class View:
    """Shows two runs; remembers what was read for it."""

    def __init__(self, context: Context, **pace: float) -> None:
        self.wanted = [ONE, TWO]
        self.read: list[tuple[str, ...]] = []
        self.taken: list[tuple[str, ...]] = []
        self.failures: list[str] = []
        self.more = 0
        self.broken = False
        self.put_off: list[str] = []
        self.during: Callable[[], object] = lambda: None
        self.go = threading.Event()
        self.go.set()
        self.following = Following(
            context,
            wanted=lambda: self.wanted,
            work=self._work,
            take=self._take,
            failed=self.failures.append,
            **{"gap_ms": 1, **pace},  # type: ignore[arg-type]
        )

    def _work(self, due: tuple[str, ...]) -> Callable[[], tuple[str, ...]]:
        self.read.append(due)
        broken = self.broken

        def work() -> tuple[str, ...]:
            assert self.go.wait(60)
            self.during()
            if broken:
                raise StoreError("cannot be read")
            return due

        return work

    def _take(self, found: tuple[str, ...]) -> bool:
        self.taken.append(found)
        self.more -= 1
        if self.put_off:
            self.following.again(self.put_off, after_secs=3600)
        return self.more >= 0


@pytest.fixture
def view(context: Context) -> Iterator[View]:
    context.runs.update([row(1, store_seq=5), row(2, store_seq=7), row(3, store_seq=9)])
    made = View(context)
    yield made
    made.go.set()
    made.following.close()


def grow(context: Context, run: str) -> None:
    """What the daemon tells when a store has grown."""
    found = context.runs.get(run)
    assert found is not None
    context.runs.update([msgspec.structs.replace(found, store_seq=found.store_seq + 1)])


def rest(qtbot: QtBot, view: View, taken: int) -> None:
    qtbot.waitUntil(lambda: len(view.taken) == taken and not view.following.reading, timeout=WAIT_MS)


def test_nothing_is_read_before_somebody_looks(qtbot: QtBot, context: Context, view: View) -> None:
    grow(context, ONE)
    view.following.ask()
    assert not view.read
    view.following.start()
    rest(qtbot, view, 1)
    assert view.taken == [(ONE, TWO)]


def test_only_a_run_whose_number_moved_is_read_again(qtbot: QtBot, context: Context, view: View) -> None:
    view.following.start()
    rest(qtbot, view, 1)
    view.following.ask()
    grow(context, OTHER)
    context.runs.update([msgspec.structs.replace(row(1, store_seq=5), name="another name")])
    assert not view.following.reading
    grow(context, TWO)
    rest(qtbot, view, 2)
    assert view.taken[1] == (TWO,)


def test_a_store_that_was_built_anew_and_is_shorter_has_moved_too(
    qtbot: QtBot, context: Context, view: View
) -> None:
    view.following.start()
    rest(qtbot, view, 1)
    context.runs.update([row(1, store_seq=2)])
    rest(qtbot, view, 2)
    assert view.taken[1] == (ONE,)


def test_what_moves_during_a_read_is_read_after_it(qtbot: QtBot, context: Context, view: View) -> None:
    view.go.clear()
    view.following.start()
    grow(context, ONE)
    assert view.read == [(ONE, TWO)], "one read at a time"
    view.go.set()
    rest(qtbot, view, 2)
    assert view.read == [(ONE, TWO), (ONE,)]


def test_when_nobody_looks_any_more_nothing_is_read(qtbot: QtBot, context: Context, view: View) -> None:
    view.following.start()
    rest(qtbot, view, 1)
    view.following.stop()
    grow(context, ONE)
    assert not view.following.reading
    view.following.start()
    rest(qtbot, view, 2)


def test_of_two_views_one_that_goes_does_not_blind_the_other(
    qtbot: QtBot, context: Context, view: View
) -> None:
    view.following.start("left")
    view.following.start("right")
    rest(qtbot, view, 1)
    view.following.stop("left")
    grow(context, ONE)
    rest(qtbot, view, 2)
    view.following.stop("right")
    assert not view.following.looking


def test_more_to_read_is_read_at_once_whatever_the_pace(qtbot: QtBot, context: Context) -> None:
    context.runs.update([row(1), row(2)])
    view = View(context, gap_ms=3_600_000)
    view.more = 2
    view.following.start()
    rest(qtbot, view, 3)
    view.following.close()


def test_more_to_read_waits_when_some_of_it_could_not_be_read(qtbot: QtBot, context: Context) -> None:
    context.runs.update([row(1), row(2)])
    view = View(context)
    view.more, view.put_off = 1, [ONE]
    view.following.start()
    rest(qtbot, view, 1)
    grow(context, TWO)
    assert not view.following.reading, "the one that could not be read has its rest"
    view.put_off = []
    view.following.ask()
    rest(qtbot, view, 2)
    assert view.taken[1] == (ONE, TWO)
    view.following.close()


def test_what_takes_long_is_read_less_often(
    qtbot: QtBot, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    context.runs.update([row(1), row(2)])
    now_secs = [0.0]
    monkeypatch.setattr(following, "time", SimpleNamespace(monotonic=lambda: now_secs[0]))
    view = View(context, share=0.25)

    def takes_100_secs() -> None:
        now_secs[0] += 100.0

    view.during = takes_100_secs
    view.following.start()
    rest(qtbot, view, 1)
    now_secs[0] += 299.0
    grow(context, ONE)
    assert not view.following.reading, "a quarter of the time is spent reading"
    now_secs[0] += 2.0
    grow(context, ONE)
    assert view.following.reading
    rest(qtbot, view, 2)
    view.following.close()


def test_the_pace_holds_back_what_moves_and_a_new_question_does_not_wait(
    qtbot: QtBot, context: Context
) -> None:
    context.runs.update([row(1), row(2)])
    view = View(context, gap_ms=3_600_000)
    view.following.start()
    rest(qtbot, view, 1)
    grow(context, ONE)
    assert not view.following.reading
    view.following.ask(anew=True)
    rest(qtbot, view, 2)
    assert view.taken[1] == (ONE, TWO)
    view.following.close()


def test_another_question_during_a_read_is_answered_after_it(qtbot: QtBot, context: Context) -> None:
    context.runs.update([row(1), row(2)])
    view = View(context, gap_ms=3_600_000)
    view.go.clear()
    view.following.start()
    view.following.ask(anew=True)
    view.go.set()
    rest(qtbot, view, 2)
    assert view.taken == [(ONE, TWO), (ONE, TWO)]
    view.following.close()


def test_a_run_that_was_not_shown_meanwhile_is_read_again(qtbot: QtBot, context: Context, view: View) -> None:
    view.following.start()
    rest(qtbot, view, 1)
    view.wanted = []
    view.following.ask()
    view.wanted = [ONE]
    view.following.ask()
    rest(qtbot, view, 2)
    assert view.taken[1] == (ONE,)


def test_a_read_that_is_let_go_is_not_taken(qtbot: QtBot, context: Context, view: View) -> None:
    view.go.clear()
    view.following.start()
    view.following.let_go()
    view.wanted = [OTHER]
    view.following.turn()
    view.go.set()
    rest(qtbot, view, 1)
    assert view.taken == [(OTHER,)]


def test_what_cannot_be_read_is_tried_again(qtbot: QtBot, context: Context, view: View) -> None:
    view.broken = True
    view.following.start()
    qtbot.waitUntil(lambda: view.failures == ["cannot be read"], timeout=WAIT_MS)
    view.broken = False
    rest(qtbot, view, 1)
    assert view.taken == [(ONE, TWO)]


def test_what_is_closed_hears_nothing(qtbot: QtBot, context: Context, view: View) -> None:
    view.following.start()
    rest(qtbot, view, 1)
    view.following.close()
    grow(context, ONE)
    view.following.turn()
    assert not view.following.reading
