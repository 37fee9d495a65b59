"""The whole life of runs on a place in memory: what the trainer does is seen without a single process."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest

from mosaic.daemon import janitor
from mosaic.daemon.ingest_link import IngestLink, News
from mosaic.daemon.trainer import LOCAL, Trainer
from mosaic.errors import RunNotFoundError, UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.rows import StoreSummary
from mosaic.protocol.runs import RunSpec, RunState
from mosaic.runs import folder as runs
from mosaic.settings import Settings
from tests.daemon.keeping import run_id
from tests.daemon.places.fake import FakePlace, Machine

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = Settings(max_running=2, disk_reserve_mib=0)


class NoIngest:
    """Ingest that is never started and knows what it was asked to watch."""

    def __init__(self) -> None:
        self.watched: list[str] = []

    def start(self) -> None: ...

    def watch(self, folder: Any) -> None:
        self.watched.append(folder.run_id)

    def forget(self, folder: Any) -> None:
        self.watched.remove(folder.run_id)

    def close(self) -> None: ...


@contextlib.contextmanager
def trainer_on(home: Path, machine: Machine, **changes: Any) -> Iterator[Trainer]:
    """A daemon's life: a new trainer with a new place, on whatever the machine executes."""
    settings = msgspec.structs.replace(SETTINGS, **changes)
    trainer = Trainer(DataRoot(home), settings, places={LOCAL: FakePlace(machine)}, now=lambda: 5.0)
    trainer._ingest = cast("IngestLink", NoIngest())
    trainer.start()
    try:
        yield trainer
    finally:
        trainer.close()


def watched(trainer: Trainer) -> list[str]:
    return cast("NoIngest", trainer._ingest).watched


def submit(trainer: Trainer, number: int) -> RunState:
    return trainer.submit(RunSpec(run_id=run_id(number), command=["x"], cwd="/"), {"KEY": "secret"}).state


def turn(trainer: Trainer, machine: Machine) -> dict[int, RunState]:
    """One tick, the keepers' turn, another tick; then the state of every run."""
    trainer.tick()
    machine.turn()
    trainer.tick()
    return {n: row.state for n in range(9) for row in trainer.runs() if row.run_id == run_id(n)}


def test_a_run_is_queued_started_paused_unpaused_and_ends_with_its_code(home: Path) -> None:
    machine = Machine()
    with trainer_on(home, machine, max_running=1) as trainer:
        assert submit(trainer, 0) is RunState.STARTING
        assert submit(trainer, 1) is RunState.QUEUED
        assert turn(trainer, machine) == {0: RunState.RUNNING, 1: RunState.QUEUED}
        trainer.pause(run_id(0), reason="lunch")
        assert turn(trainer, machine) == {0: RunState.PAUSED, 1: RunState.QUEUED}
        assert trainer.run(run_id(0)).reason == "lunch"
        trainer.unpause(run_id(0))
        assert turn(trainer, machine)[0] is RunState.RUNNING
        machine.end(run_id(0), code=3)
        assert turn(trainer, machine) == {0: RunState.FAILED, 1: RunState.RUNNING}
        row = trainer.run(run_id(0))
        assert (row.reason, row.started, row.ended) == ("exit code 3", 10.0, 20.0)
        assert machine.collected == [run_id(0)]
        history = [change.state for change in runs.read_manifest(DataRoot(home).run(run_id(0))).history]
        assert history[0] in (RunState.QUEUED, RunState.STARTING)
        assert history[-4:] == [RunState.RUNNING, RunState.PAUSED, RunState.RUNNING, RunState.FAILED]


def test_the_same_submission_again_is_launched_once_with_its_variables(home: Path) -> None:
    machine = Machine()
    with trainer_on(home, machine) as trainer:
        for _ in range(3):
            submit(trainer, 0)
        assert machine.launches == 1
        assert machine.runs[run_id(0)].env == {"KEY": "secret"}
        assert [row.run_id for row in trainer.runs()] == [run_id(0)]
        assert watched(trainer) == [run_id(0)]


def test_a_submission_that_never_reached_the_place_is_taken_up_by_the_next_try(home: Path) -> None:
    machine = Machine()
    runs.create(DataRoot(home), RunSpec(run_id=run_id(0), command=["x"], cwd="/"), created=1.0)
    with trainer_on(home, machine) as trainer:
        assert trainer.run(run_id(0)).state is RunState.LOST
        assert submit(trainer, 0) is RunState.STARTING


def test_a_run_that_is_submitted_again_is_settled_only_when_ingest_says_so_again(home: Path) -> None:
    machine = Machine()
    runs.create(DataRoot(home), RunSpec(run_id=run_id(0), command=["x"], cwd="/"), created=1.0)
    with trainer_on(home, machine) as trainer:
        trainer._heard(News(run_id=run_id(0), settled=True))
        assert trainer.settled(run_id(0))
        submit(trainer, 0)
        turn(trainer, machine)
        machine.end(run_id(0), code=0)
        assert turn(trainer, machine) == {0: RunState.FINISHED}
        assert not trainer.settled(run_id(0))
        trainer._heard(News(run_id=run_id(0), settled=True))
        assert trainer.settled(run_id(0))


def test_news_without_numbers_leaves_those_that_came_before(home: Path) -> None:
    machine = Machine()
    with trainer_on(home, machine) as trainer:
        submit(trainer, 0)
        turn(trainer, machine)
        machine.end(run_id(0), code=0)
        turn(trainer, machine)
        trainer._heard(News(run_id=run_id(0), summary=StoreSummary(steps=5)))
        trainer._heard(News(run_id=run_id(0), settled=True))
        assert trainer.run(run_id(0)).steps == 5
        assert trainer.settled(run_id(0))


def test_a_run_submitted_on_a_low_disk_waits_from_the_first_moment(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(janitor, "free_mib", lambda _: 512)
    with trainer_on(home, Machine(), disk_reserve_mib=1024) as trainer:
        assert submit(trainer, 0) is RunState.QUEUED


def test_a_stopped_run_makes_room_for_the_next_and_a_queued_one_never_starts(home: Path) -> None:
    machine = Machine()
    with trainer_on(home, machine, max_running=1) as trainer:
        for number in (0, 1, 2):
            submit(trainer, number)
        turn(trainer, machine)
        trainer.stop(run_id(1))
        assert trainer.stop(run_id(0)).state is RunState.STOPPING
        states = turn(trainer, machine)
        assert states == {0: RunState.STOPPED, 1: RunState.STOPPED, 2: RunState.STARTING}
        assert machine.runs[run_id(1)].started is None
        assert trainer.stop(run_id(0)).state is RunState.STOPPED


def test_a_low_disk_pauses_runs_but_not_those_of_the_user_and_lets_them_go_on(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine, free = Machine(), {"mib": 2000}
    monkeypatch.setattr(janitor, "free_mib", lambda _: free["mib"])
    with trainer_on(home, machine, disk_reserve_mib=1024, max_running=2) as trainer:
        for number in (0, 1, 2):
            submit(trainer, number)
        turn(trainer, machine)
        trainer.pause(run_id(1))
        free["mib"] = 512
        assert turn(trainer, machine) == {0: RunState.PAUSED, 1: RunState.PAUSED, 2: RunState.QUEUED}
        assert trainer.run(run_id(0)).reason == "disk low: 512 MiB free, reserve 1024 MiB"
        machine.end(run_id(0), code=0)
        assert turn(trainer, machine)[2] is RunState.QUEUED
        free["mib"] = 2000
        assert turn(trainer, machine) == {0: RunState.FINISHED, 1: RunState.PAUSED, 2: RunState.RUNNING}
        free["mib"] = 512
        with pytest.raises(UsageError, match="goes on by itself"):
            trainer.unpause(run_id(1))
        free["mib"] = 2000
        assert turn(trainer, machine)[1] is RunState.RUNNING


def test_the_next_daemon_finds_every_run_as_it_is_and_finishes_what_was_begun(home: Path) -> None:
    machine = Machine()
    with trainer_on(home, machine, max_running=4) as trainer:
        for number in range(5):
            submit(trainer, number)
        turn(trainer, machine)
        machine.lose_keeper(run_id(2))
        machine.lose_keeper(run_id(3))
        turn(trainer, machine)
        trainer.stop(run_id(2))
    machine.end(run_id(0), code=7)
    with trainer_on(home, machine, max_running=4) as trainer:
        states = {row.run_id: row.state for row in trainer.runs()}
        assert [states[run_id(n)] for n in range(5)] == [
            RunState.FAILED, RunState.RUNNING, RunState.ORPHANED, RunState.ORPHANED, RunState.QUEUED,
        ]  # fmt: skip
        exit_ = trainer.run(run_id(0)).exit
        assert exit_ is not None
        assert exit_.code == 7
        states = {row.run_id: row.state for row in trainer.tick() + trainer.runs()}
        assert states[run_id(2)] is RunState.LOST
        assert states[run_id(3)] is RunState.ORPHANED
        assert turn(trainer, machine)[4] is RunState.RUNNING
        place = cast("FakePlace", trainer._places[LOCAL])
        assert place.calls.count("adopt") == 4  # all but the one that has ended
        assert machine.collected == [run_id(0), run_id(2)]  # the one that ended meanwhile, then the stopped


def test_an_ended_run_is_deleted_once_its_keeper_has_left(home: Path) -> None:
    machine = Machine()
    with trainer_on(home, machine) as trainer:
        submit(trainer, 0)
        turn(trainer, machine)
        with pytest.raises(UsageError, match="Stop it first"):
            trainer.delete(run_id(0))
        machine.end(run_id(0), code=0, lingers=True)
        assert turn(trainer, machine) == {0: RunState.FINISHED}
        with pytest.raises(UsageError, match="still has processes to end"):
            trainer.delete(run_id(0), wait_secs=0.0)
        assert trainer.run(run_id(0)).state is RunState.FINISHED
        machine.prompt = True
        trainer.delete(run_id(0))
        assert not machine.runs[run_id(0)].kept
        assert trainer.runs() == []
        assert list(DataRoot(home).runs.iterdir()) == []
        with pytest.raises(RunNotFoundError):
            trainer.run(run_id(0))


def test_a_run_whose_orders_fail_does_not_keep_the_others_waiting(home: Path) -> None:
    machine = Machine()
    machine.refuses.add(run_id(0))
    with trainer_on(home, machine) as trainer:
        submit(trainer, 0)
        submit(trainer, 1)
        assert turn(trainer, machine) == {0: RunState.QUEUED, 1: RunState.RUNNING}


def test_a_collect_that_raises_hides_no_end_and_keeps_no_other_run_from_being_collected(home: Path) -> None:
    machine = Machine()
    machine.broken.add(("collect", run_id(0)))
    with trainer_on(home, machine) as trainer:
        for number in (0, 1):
            submit(trainer, number)
        turn(trainer, machine)
        for number in (0, 1):
            machine.end(run_id(number), code=number)
        ends = {row.run_id: row.state for row in trainer.tick()}
        assert ends == {run_id(0): RunState.FINISHED, run_id(1): RunState.FAILED}
        assert machine.collected == [run_id(1)]


def test_an_adopt_that_raises_is_tried_again_and_keeps_no_other_run_from_being_taken_in(home: Path) -> None:
    machine = Machine()
    with trainer_on(home, machine, max_running=3) as trainer:
        for number in range(3):
            submit(trainer, number)
        turn(trainer, machine)
        for number in range(3):
            machine.lose_keeper(run_id(number))
        turn(trainer, machine)
        for number in range(3):
            trainer.stop(run_id(number))
    machine.broken.add(("adopt", run_id(1)))
    with trainer_on(home, machine) as trainer:
        assert watched(trainer) == [run_id(number) for number in range(3)]
        assert turn(trainer, machine) == {0: RunState.LOST, 1: RunState.ORPHANED, 2: RunState.LOST}
        machine.broken.clear()
        assert turn(trainer, machine)[1] is RunState.LOST
        place = cast("FakePlace", trainer._places[LOCAL])
        adopted = place.calls.count("adopt")
        turn(trainer, machine)
        assert place.calls.count("adopt") == adopted


def test_a_run_that_cannot_be_seen_keeps_its_state_and_the_others_start_run_and_end(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    machine = Machine()
    with trainer_on(home, machine) as trainer:
        for number in range(3):
            submit(trainer, number)
        assert turn(trainer, machine) == {0: RunState.RUNNING, 1: RunState.RUNNING, 2: RunState.QUEUED}
        machine.broken.add(("observe", run_id(0)))
        machine.end(run_id(0), code=0)
        machine.end(run_id(1), code=0)
        states = {0: RunState.RUNNING, 1: RunState.FINISHED, 2: RunState.RUNNING}
        assert turn(trainer, machine) == states
        assert trainer.run(run_id(0)).reason == "working"
        assert trainer.edit(run_id(0), name="unseen", set_tags={}, drop_tags=[]).name == "unseen"
        for ask in (trainer.stop, trainer.pause):
            with pytest.raises(OSError, match="observe is broken"):
                ask(run_id(0))
        assert [record.getMessage() for record in caplog.records] == [
            f"run {run_id(0)}: observe failed: OSError: [Errno 5] observe is broken"
        ]
        machine.broken.clear()
        assert turn(trainer, machine)[0] is RunState.FINISHED


def test_a_run_that_a_new_daemon_cannot_see_is_as_last_known_and_says_why(home: Path) -> None:
    machine = Machine()
    with trainer_on(home, machine, max_running=1) as trainer:
        for number in range(3):
            submit(trainer, number)
        turn(trainer, machine)
        machine.end(run_id(0), code=0)
        turn(trainer, machine)
    machine.end(run_id(1), code=3)
    runs.create(DataRoot(home), RunSpec(run_id=run_id(3), command=["x"], cwd="/"), created=1.0)
    machine.broken.update(("observe", run_id(number)) for number in (0, 1, 2, 3))
    submitted = RunSpec(run_id=run_id(4), command=["x"], cwd="/")
    with trainer_on(home, machine, max_running=2) as trainer:
        rows = [trainer.run(run_id(number)) for number in range(4)]
        states = [RunState.FINISHED, RunState.RUNNING, RunState.QUEUED, RunState.QUEUED]
        assert [row.state for row in rows] == states
        assert {row.reason for row in rows} == {
            "as last known; it cannot be looked at: OSError: [Errno 5] observe is broken"
        }
        # What may still run keeps its slot; those that wait unseen let the next one pass.
        assert trainer.submit(submitted, {}).state is RunState.STARTING
        assert [turn(trainer, machine)[number] for number in range(4)] == states
        assert machine.runs[run_id(2)].started is None
        machine.broken.clear()
        assert turn(trainer, machine) == {
            0: RunState.FINISHED, 1: RunState.FAILED, 2: RunState.RUNNING, 3: RunState.LOST,
            4: RunState.RUNNING,
        }  # fmt: skip
        assert trainer.run(run_id(0)).reason == "exit code 0"
        history = runs.read_manifest(DataRoot(home).run(run_id(1))).history
        assert [change.state for change in history][-2:] == [RunState.RUNNING, RunState.FAILED]


def test_a_low_disk_gives_no_order_to_what_cannot_be_seen(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine, free = Machine(), {"mib": 2000}
    monkeypatch.setattr(janitor, "free_mib", lambda _: free["mib"])
    with trainer_on(home, machine, disk_reserve_mib=1024) as trainer:
        for number in (0, 1):
            submit(trainer, number)
        turn(trainer, machine)
        machine.broken.add(("observe", run_id(0)))
        free["mib"] = 512
        turn(trainer, machine)
        assert not machine.runs[run_id(0)].paused
        assert machine.runs[run_id(1)].paused
        machine.broken.clear()
        assert turn(trainer, machine)[0] is RunState.PAUSED


def test_an_order_that_raises_leaves_the_slot_to_the_next_run(home: Path) -> None:
    machine = Machine()
    machine.broken.add(("order", run_id(0)))
    with trainer_on(home, machine, max_running=1) as trainer:
        assert submit(trainer, 0) is RunState.QUEUED
        assert submit(trainer, 1) is RunState.STARTING
        assert submit(trainer, 2) is RunState.QUEUED
        assert turn(trainer, machine) == {0: RunState.QUEUED, 1: RunState.RUNNING, 2: RunState.QUEUED}
        with pytest.raises(OSError, match="order is broken"):
            trainer.stop(run_id(0))
        machine.broken.clear()
        machine.end(run_id(1), code=0)
        assert turn(trainer, machine)[0] is RunState.RUNNING


def test_a_place_that_cannot_be_tended_stops_nobody_elses_tick(home: Path) -> None:
    here, elsewhere = Machine(), Machine()
    elsewhere.broken.add(("tend", ""))
    places = {"elsewhere": FakePlace(elsewhere), LOCAL: FakePlace(here)}
    trainer = Trainer(DataRoot(home), SETTINGS, places=places, now=lambda: 5.0)
    trainer._ingest = cast("IngestLink", NoIngest())
    trainer.start()
    submit(trainer, 0)
    assert turn(trainer, here) == {0: RunState.RUNNING}
    assert places[LOCAL].calls.count("tend") == 2
    trainer.close()


def test_every_place_in_the_table_is_started_tended_and_closed(home: Path) -> None:
    places = {LOCAL: FakePlace(Machine()), "elsewhere": FakePlace(Machine())}
    trainer = Trainer(DataRoot(home), SETTINGS, places=places)
    trainer._ingest = cast("IngestLink", NoIngest())
    trainer.start()
    trainer.tick()
    trainer.close()
    assert [place.calls for place in places.values()] == [["start", "tend", "close"]] * 2
