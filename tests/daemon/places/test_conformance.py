"""What `base.Place` promises, asked of every place there is. A new place joins by a host of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mosaic.daemon.places.base import Order, Place, Sight
from mosaic.protocol.runs import RunState, Want
from tests.daemon.keeping import run_id, until
from tests.daemon.places.hosts import FakeHost, Host, LocalHost

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mosaic.paths import RunFolder

STOP = Order(want=Want.STOP, reason="enough")


@pytest.fixture(params=[LocalHost, FakeHost], ids=["local", "fake"])
def host(request: pytest.FixtureRequest, home: Path, tmp_path: Path) -> Iterator[Host]:
    host: Host = request.param(home, tmp_path)
    yield host
    host.close()


def wait_for(host: Host, place: Place, folder: RunFolder, state: RunState) -> Sight:
    def there() -> bool:
        host.turn()
        place.tend()
        return place.observe(folder).state is state

    until(there)
    return place.observe(folder)


def running(host: Host, place: Place, number: int = 0) -> RunFolder:
    folder = host.launch(place, number)
    place.order(folder, Order(want=Want.RUN))
    wait_for(host, place, folder, RunState.RUNNING)
    return folder


def wait_left(host: Host, place: Place, folder: RunFolder) -> Sight:
    def left() -> bool:
        host.turn()
        place.tend()
        return not place.observe(folder).kept

    until(left)
    return place.observe(folder)


def stop(host: Host, place: Place, folder: RunFolder) -> Sight:
    place.order(folder, STOP)
    return wait_left(host, place, folder)


def test_a_launched_run_is_held_until_it_is_ordered_to_run(host: Host) -> None:
    place = host.place()
    folder = host.launch(place)
    for _ in range(3):
        host.turn()
        place.tend()
        sight = place.observe(folder)
        assert (sight.state, sight.want, sight.started) == (RunState.QUEUED, Want.HOLD, None)
        assert sight.kept
    place.order(folder, Order(want=Want.RUN))
    sight = wait_for(host, place, folder, RunState.RUNNING)
    assert sight.want is Want.RUN
    assert sight.begun
    assert sight.started is not None
    stop(host, place, folder)


def test_the_run_is_recorded_once_and_only_when_somebody_keeps_it(host: Host) -> None:
    place = host.place()
    assert not place.observe(host.root.run(run_id(0))).begun
    kept: list[bool] = []
    for _ in range(3):
        folder = host.launch(place, before=lambda folder: kept.append(place.observe(folder).kept))
    assert kept == [True]
    stop(host, place, folder)
    host.launch(place, before=lambda folder: kept.append(place.observe(folder).kept))
    assert kept == [True]
    assert place.observe(folder).state is RunState.STOPPED


def test_a_queued_run_can_be_stopped_and_never_starts(host: Host) -> None:
    place = host.place()
    folder = host.launch(place)
    sight = stop(host, place, folder)
    assert sight.state is RunState.STOPPED
    assert sight.started is None
    assert sight.exit is not None
    assert (sight.exit.code, sight.exit.signal, sight.exit.stop_asked) == (None, None, True)


@pytest.mark.parametrize(("code", "state"), [(0, RunState.FINISHED), (3, RunState.FAILED)])
def test_a_run_that_ends_by_itself_says_how(host: Host, code: int, state: RunState) -> None:
    place = host.place()
    folder = running(host, place)
    host.end(folder, code=code)
    sight = wait_for(host, place, folder, state)
    assert sight.exit is not None
    assert (sight.exit.code, sight.exit.stop_asked) == (code, False)
    wait_left(host, place, folder)
    place.collect(folder)
    place.collect(folder)


def test_a_run_is_paused_with_its_reason_and_goes_on(host: Host) -> None:
    place = host.place()
    folder = running(host, place)
    place.order(folder, Order(want=Want.PAUSE, reason="the disk", by_reserve=True))
    sight = wait_for(host, place, folder, RunState.PAUSED)
    assert (sight.verdict.reason, sight.want, sight.by_reserve) == ("the disk", Want.PAUSE, True)
    place.order(folder, Order(want=Want.RUN))
    assert wait_for(host, place, folder, RunState.RUNNING).by_reserve is False
    assert stop(host, place, folder).state is RunState.STOPPED


def test_runs_and_their_orders_outlive_the_place_that_gave_them(host: Host) -> None:
    first = host.place()
    ended, paused = running(host, first, 0), running(host, first, 1)
    first.order(paused, Order(want=Want.PAUSE, reason="lunch"))
    first.close()
    first.close()
    host.end(ended, code=7)
    second = host.place()
    for folder in (ended, paused):
        second.adopt(folder)
    assert wait_for(host, second, paused, RunState.PAUSED).verdict.reason == "lunch"
    sight = wait_for(host, second, ended, RunState.FAILED)
    assert sight.exit is not None
    assert sight.exit.code == 7
    second.order(paused, Order(want=Want.RUN))
    wait_for(host, second, paused, RunState.RUNNING)
    assert stop(host, second, paused).state is RunState.STOPPED


def test_what_nobody_keeps_is_orphaned_and_its_end_is_never_guessed(host: Host) -> None:
    place = host.place()
    folder = running(host, place)
    host.lose_keeper(folder)
    sight = wait_for(host, place, folder, RunState.ORPHANED)
    assert not sight.kept
    place.order(folder, STOP)
    sight = wait_for(host, place, folder, RunState.LOST)
    assert sight.exit is None
    assert sight.begun


def test_an_order_to_stop_what_is_gone_changes_nothing(host: Host) -> None:
    place = host.place()
    folder = running(host, place)
    host.lose_keeper(folder)
    wait_for(host, place, folder, RunState.ORPHANED)
    host.end(folder, code=0)
    before = wait_for(host, place, folder, RunState.LOST)
    place.order(folder, STOP)
    assert place.observe(folder) == before


def test_the_next_place_goes_on_stopping_an_orphan(host: Host) -> None:
    first = host.place()
    folder = running(host, first)
    host.lose_keeper(folder)
    wait_for(host, first, folder, RunState.ORPHANED)
    first.order(folder, STOP)
    first.close()
    second = host.place()
    assert second.observe(folder).state is RunState.ORPHANED
    second.adopt(folder)
    assert wait_for(host, second, folder, RunState.LOST).exit is None
