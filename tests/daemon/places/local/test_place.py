"""What only this machine has: locks, an order file, live frames. The rest is in test_conformance."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mosaic.daemon.places.base import Order
from mosaic.daemon.places.local import shim
from mosaic.daemon.places.local.place import LocalPlace
from mosaic.errors import DataRootError, LaunchError
from mosaic.fastlane import segment
from mosaic.paths import DataRoot
from mosaic.protocol.runs import Control, ExitRecord, ProcRecord, RunSpec, RunState, Want
from mosaic.runs import folder as runs
from mosaic.runs.files import write_json
from mosaic.runs.locks import Lock
from mosaic.settings import Settings
from mosaic_worker.fastlane import Lane
from tests.daemon.keeping import RUN_ID, until

SETTINGS = Settings(stop_int_secs=1.5, stop_term_secs=2.5)
SPEC = RunSpec(run_id=RUN_ID, command=["true"], cwd="/")


@pytest.fixture
def place(home: Path) -> LocalPlace:
    return LocalPlace(DataRoot(home), SETTINGS)


def test_an_order_is_a_file_with_the_ladder_of_the_settings(home: Path, place: LocalPlace) -> None:
    folder = runs.create(DataRoot(home), SPEC, created=0.0)
    with Lock(folder.shim_lock):
        place.order(folder, Order(want=Want.PAUSE, reason="low", by_reserve=True))
    assert runs.read_control(folder) == Control(
        want=Want.PAUSE, reason="low", by_reserve=True, int_secs=1.5, term_secs=2.5
    )


def test_an_order_that_cannot_be_written_names_the_file(home: Path, place: LocalPlace) -> None:
    folder = runs.create(DataRoot(home), SPEC, created=0.0)
    folder.path.rename(home / "elsewhere")
    with pytest.raises(DataRootError, match=r"cannot write .*control\.json: No such file"):
        place.order(folder, Order(want=Want.RUN))


def test_a_run_is_seen_as_its_folder_shows_it(home: Path, place: LocalPlace) -> None:
    folder = runs.create(DataRoot(home), SPEC, created=0.0)
    assert (place.observe(folder).state, place.observe(folder).begun) == (RunState.LOST, False)
    with Lock(folder.shim_lock):
        write_json(folder.proc, ProcRecord(shim_pid=1, worker_pid=2, started=7.0))
        sight = place.observe(folder)
        assert (sight.kept, sight.begun, sight.started, sight.want) == (True, True, 7.0, None)
        write_json(folder.exit, ExitRecord(code=0, t=9.0))
        sight = place.observe(folder)
        assert (sight.state, sight.kept, sight.exit) == (RunState.FINISHED, True, ExitRecord(code=0, t=9.0))
    assert not place.observe(folder).kept


def test_a_run_that_had_a_shim_or_an_end_gets_no_second_shim(home: Path, place: LocalPlace) -> None:
    folder = runs.prepare(DataRoot(home), RUN_ID)
    for path, record in ((folder.proc, ProcRecord(shim_pid=1)), (folder.exit, ExitRecord(code=0))):
        write_json(path, record)
        place.launch(folder, SPEC, {}, record=lambda: pytest.fail("recorded again"))
        path.unlink()
    assert not folder.control.exists()


def test_a_shim_that_cannot_be_started_is_an_error_that_names_the_run(home: Path, place: LocalPlace) -> None:
    folder = runs.prepare(DataRoot(home), RUN_ID)
    with pytest.raises(LaunchError, match=RUN_ID):
        place.launch(folder, SPEC, {"A\0": "x"}, record=lambda: None)
    assert not place.observe(folder).kept


def test_a_shim_that_fails_before_its_first_record_says_why(
    home: Path, tmp_path: Path, place: LocalPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = tmp_path / "a" / "b" / "c" / "d" / "shim.py"  # its package is not where it looks for it
    alone.parent.mkdir(parents=True)
    shutil.copy(shim.__file__, alone)
    folder = runs.prepare(DataRoot(home), RUN_ID)
    with monkeypatch.context() as patch:
        patch.setattr(shim, "__file__", str(alone))
        place.launch(folder, SPEC, {}, record=lambda: None)
    until(lambda: not place.observe(folder).kept)
    sight = place.observe(folder)
    assert (sight.state, sight.begun) == (RunState.LOST, False)
    assert sight.verdict.reason == (
        "nothing was started: its shim ended with code 1: ModuleNotFoundError: No module named 'mosaic'"
    )
    assert stat.S_IMODE((folder.path / shim.LOG).stat().st_mode) == 0o600
    place.launch(folder, SPEC, {"PATH": os.environ["PATH"]}, record=lambda: None)  # may be tried again
    place.order(folder, Order(want=Want.STOP))
    until(lambda: place.observe(folder).state is RunState.STOPPED and not place.observe(folder).kept)

    def collected() -> bool:
        place.tend()
        return not place._launcher._shims

    until(collected)


@pytest.fixture
def member(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the run that only SIGKILL ends."""
    env = {"MOSAIC_RUN_DIR": str(DataRoot(home).run(RUN_ID).path), "PATH": os.environ["PATH"]}
    script = "trap '' INT TERM; echo ready; while :; do sleep 0.1; done"
    with subprocess.Popen(["sh", "-c", script], env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process
        process.kill()


@pytest.mark.usefixtures("member")
def test_a_run_that_is_being_stopped_is_taken_up_only_when_its_shim_is_gone(
    home: Path, place: LocalPlace
) -> None:
    folder = runs.create(DataRoot(home), SPEC, created=0.0)
    runs.write_control(folder, Control(want=Want.STOP))
    with Lock(folder.tree_lock):
        with Lock(folder.shim_lock):
            place.adopt(folder)
            assert place._ladders == {}  # its shim does it
        place.adopt(folder)
        assert list(place._ladders) == [RUN_ID]


@pytest.mark.usefixtures("member")
def test_a_second_stop_climbs_on_where_the_first_one_is(home: Path, place: LocalPlace) -> None:
    folder = runs.create(DataRoot(home), SPEC, created=0.0)
    place.order(folder, Order(want=Want.STOP))
    ladder = place._ladders[RUN_ID]
    place.order(folder, Order(want=Want.STOP, reason="again"))
    assert place._ladders == {RUN_ID: ladder}


def test_live_frames_of_the_dead_are_swept_when_a_run_ends_and_at_the_start(
    home: Path, place: LocalPlace
) -> None:
    folder = runs.create(DataRoot(home), SPEC, created=0.0)
    sweeps: list[Callable[[], None]] = [lambda: place.collect(folder), place.start]
    for sweep in sweeps:
        lane = Lane(str(folder.path), "p1")
        sweep()
        assert segment.lanes_of(folder) == [Path(lane.path)]
        lane._words.release()
        lane.wake.release()
        lane._memory.close()
        os.close(lane._fd)  # as a killed worker leaves it: the file is there, its lock is free
        sweep()
        assert segment.lanes_of(folder) == []
