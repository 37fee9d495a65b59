from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from mosaic.daemon import janitor
from mosaic.daemon.ingest_link import News
from mosaic.daemon.places.local.place import LocalPlace
from mosaic.daemon.trainer import LOCAL, Trainer
from mosaic.errors import AmbiguousRunError, RunNotFoundError, StoreError, UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.rows import StoreSummary
from mosaic.protocol.runs import ENDED, RunRow, RunSpec, RunState
from mosaic.runs import folder as runs
from mosaic.settings import Settings
from mosaic.store.registry import read_runs
from tests.daemon.keeping import WORKERS, alive, noted, run_id, until, worker

if TYPE_CHECKING:
    from collections.abc import Iterator

FAKE_INGEST = [sys.executable, "-S", str(WORKERS / "fake_ingest.py")]
SETTINGS = Settings(max_running=2, disk_reserve_mib=0, stop_int_secs=0.2, stop_term_secs=0.2)


@contextlib.contextmanager
def trainer_of(home: Path, **changes: Any) -> Iterator[Trainer]:
    """A started trainer; on the way out every run is stopped and collected."""
    settings = msgspec.structs.replace(SETTINGS, **changes)
    local = LocalPlace(DataRoot(home), settings, grace_secs=0.2)
    trainer = Trainer(DataRoot(home), settings, places={LOCAL: local}, ingest_command=FAKE_INGEST)
    trainer.start()
    try:
        yield trainer
    finally:
        for row in trainer.runs():
            trainer.stop(row.run_id)
        ticking(trainer, lambda: all(run.closed for run in trainer._runs.every() if not run.damaged))
        ticking(trainer, lambda: not local._launcher._shims)
        trainer.close()
        trainer.close()


def ticking(trainer: Trainer, happened: Any) -> None:
    def turn() -> Any:
        trainer.tick()
        return happened()

    until(turn)


def ask(number: int, command: list[str], name: str = "") -> RunSpec:
    return RunSpec(run_id=run_id(number), command=command, cwd="/", name=name)


def wait_for(trainer: Trainer, number: int, *states: RunState) -> RunRow:
    ticking(trainer, lambda: trainer.run(run_id(number)).state in states)
    return trainer.run(run_id(number))


def wait_ended(trainer: Trainer, number: int) -> RunRow:
    return wait_for(trainer, number, *ENDED)


def test_a_run_goes_from_submission_to_its_end_and_says_how_it_ended(home: Path) -> None:
    with trainer_of(home) as trainer:
        first = trainer.submit(ask(0, worker("exits", 3)), {})
        assert first.state is RunState.STARTING
        row = wait_ended(trainer, 0)
        assert row.state is RunState.FAILED
        assert row.reason == "exit code 3: err: about to leave"
        assert row.exit is not None
        assert row.exit.code == 3
        trainer.tick()
        states = [change.state for change in runs.read_manifest(DataRoot(home).run(run_id(0))).history]
        assert states[0] is RunState.QUEUED
        assert states[-1] is RunState.FAILED
        assert len(states) == len(set(states))
        ticking(trainer, lambda: read_runs(DataRoot(home))[0].state is RunState.FAILED)


def test_submitting_twice_starts_one_run(home: Path, tmp_path: Path) -> None:
    with trainer_of(home) as trainer:
        for _ in range(3):
            trainer.submit(ask(0, ["sh", "-c", f"echo x >> {tmp_path}/ran"]), {"PATH": os.environ["PATH"]})
        assert wait_ended(trainer, 0).state is RunState.FINISHED
        trainer.submit(ask(0, ["false"]), {})
        assert len(trainer.runs()) == 1
    assert (tmp_path / "ran").read_text() == "x\n"


def test_many_submissions_of_one_id_at_once_start_one_run(home: Path, tmp_path: Path) -> None:
    spec = ask(0, ["sh", "-c", f"echo x >> {tmp_path}/ran"])
    with trainer_of(home) as trainer, ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(trainer.submit, spec, {"PATH": os.environ["PATH"]}) for _ in range(20)]
        assert {done.result().run_id for done in asked} == {run_id(0)}
        assert wait_ended(trainer, 0).state is RunState.FINISHED
    assert (tmp_path / "ran").read_text() == "x\n"


def test_runs_wait_in_the_order_of_submission_for_a_free_slot(home: Path, tmp_path: Path) -> None:
    with trainer_of(home, max_running=1) as trainer:
        for number in (2, 1, 0):
            trainer.submit(ask(number, worker("sleeps", tmp_path / str(number))), {})
        assert [trainer.run(run_id(n)).state for n in (1, 0)] == [RunState.QUEUED] * 2
        wait_for(trainer, 2, RunState.RUNNING)
        trainer.pause(run_id(2))
        wait_for(trainer, 2, RunState.PAUSED)
        trainer.tick()
        assert trainer.run(run_id(1)).state is RunState.QUEUED
        trainer.stop(run_id(0))
        row = wait_for(trainer, 0, RunState.STOPPED)
        assert row.reason == "stopped before it started"
        trainer.stop(run_id(2))
        wait_for(trainer, 2, RunState.STOPPED)
        wait_for(trainer, 1, RunState.RUNNING)
        assert not (tmp_path / "0").exists()


def test_pause_and_unpause_are_for_runs_that_run(home: Path, tmp_path: Path) -> None:
    with trainer_of(home, max_running=1) as trainer:
        trainer.submit(ask(0, worker("sleeps", tmp_path / "a")), {})
        trainer.submit(ask(1, worker("sleeps", tmp_path / "b")), {})
        wait_for(trainer, 0, RunState.RUNNING)
        with pytest.raises(UsageError, match="queued: only a running one"):
            trainer.pause(run_id(1))
        with pytest.raises(UsageError, match="not paused"):
            trainer.unpause(run_id(0))
        trainer.pause(run_id(0))
        assert wait_for(trainer, 0, RunState.PAUSED).reason == "paused by the user"
        trainer.unpause(run_id(0))
        wait_for(trainer, 0, RunState.RUNNING)


def test_a_low_disk_pauses_runs_until_there_is_room_but_not_what_the_user_paused(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = {"mib": 2000}
    monkeypatch.setattr(janitor, "free_mib", lambda _: free["mib"])
    with trainer_of(home, disk_reserve_mib=1024) as trainer:
        for number in (0, 1, 2):
            trainer.submit(ask(number, worker("sleeps", tmp_path / str(number))), {})
        wait_for(trainer, 0, RunState.RUNNING)
        wait_for(trainer, 1, RunState.RUNNING)
        trainer.pause(run_id(1))
        wait_for(trainer, 1, RunState.PAUSED)
        free["mib"] = 512
        row = wait_for(trainer, 0, RunState.PAUSED)
        assert row.reason == "disk low: 512 MiB free, reserve 1024 MiB"
        with pytest.raises(UsageError, match="goes on by itself"):
            trainer.unpause(run_id(1))
        trainer.pause(run_id(1))
        trainer.stop(run_id(0))
        wait_for(trainer, 0, RunState.STOPPED)
        trainer.tick()
        assert trainer.run(run_id(2)).state is RunState.QUEUED
        free["mib"] = 1100
        trainer.tick()
        assert trainer.run(run_id(2)).state is RunState.QUEUED
        free["mib"] = 1127
        wait_for(trainer, 2, RunState.RUNNING)
        assert trainer.run(run_id(1)).state is RunState.PAUSED
        free["mib"] = 512
        wait_for(trainer, 2, RunState.PAUSED)
        free["mib"] = 1127
        wait_for(trainer, 2, RunState.RUNNING)
        assert trainer.run(run_id(1)).reason == "paused by the user"


def test_an_orphaned_run_is_stopped_directly_and_its_exit_code_stays_unknown(
    home: Path, tmp_path: Path
) -> None:
    with trainer_of(home) as trainer:
        trainer.submit(ask(0, worker("stubborn", tmp_path)), {})
        family = noted(tmp_path, 3)
        wait_for(trainer, 0, RunState.RUNNING)
        proc = runs.read_proc(DataRoot(home).run(run_id(0)))
        assert proc is not None
        os.kill(proc.shim_pid, signal.SIGKILL)
        wait_for(trainer, 0, RunState.ORPHANED)
        trainer.stop(run_id(0))
        row = wait_for(trainer, 0, RunState.LOST)
        assert "exit code is unknown" in row.reason
        ticking(trainer, lambda: not [process for process in family if alive(process)])


def test_an_orphan_that_ends_by_itself_is_lost_not_finished(home: Path, tmp_path: Path) -> None:
    with trainer_of(home) as trainer:
        trainer.submit(ask(0, worker("sleeps", tmp_path / "ready")), {})
        until((tmp_path / "ready").exists)
        wait_for(trainer, 0, RunState.RUNNING)
        proc = runs.read_proc(DataRoot(home).run(run_id(0)))
        assert proc is not None
        os.kill(proc.shim_pid, signal.SIGKILL)
        wait_for(trainer, 0, RunState.ORPHANED)
        os.kill(int((tmp_path / "ready").read_text()), signal.SIGINT)
        assert wait_for(trainer, 0, RunState.LOST).exit is None


def test_only_ended_runs_are_deleted_and_links_in_them_are_not_followed(home: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    with trainer_of(home) as trainer:
        trainer.submit(ask(0, worker("sleeps", tmp_path / "ready")), {})
        with pytest.raises(UsageError, match="Stop it first"):
            trainer.delete(run_id(0))
        trainer.stop(run_id(0))
        wait_ended(trainer, 0)
        (DataRoot(home).run(run_id(0)).path / "link").symlink_to(precious)
        trainer.delete(run_id(0))
        assert trainer.runs() == []
        assert list(DataRoot(home).runs.iterdir()) == []
        with pytest.raises(RunNotFoundError):
            trainer.run(run_id(0))
        trainer.tick()
        assert read_runs(DataRoot(home)) == []
    assert (precious / "file").exists()


def test_deleting_an_ended_run_hurries_what_it_left_behind(home: Path, tmp_path: Path) -> None:
    local = LocalPlace(DataRoot(home), SETTINGS, grace_secs=60.0)
    trainer = Trainer(DataRoot(home), SETTINGS, places={LOCAL: local}, ingest_command=FAKE_INGEST)
    trainer.start()
    trainer.submit(ask(0, worker("leaves_children", tmp_path)), {})
    wait_ended(trainer, 0)
    left = noted(tmp_path, 1)
    trainer.delete(run_id(0))
    assert not [process for process in left if alive(process)]
    ticking(trainer, lambda: not local._launcher._shims)
    trainer.close()


def test_a_run_is_found_by_id_prefix_name_and_last(home: Path) -> None:
    with trainer_of(home) as trainer:
        trainer.submit(ask(0, ["true"], name="a"), {"PATH": os.environ["PATH"]})
        trainer.submit(ask(1, ["true"], name="b"), {"PATH": os.environ["PATH"]})
        assert [trainer.resolve(text) for text in ("a", "last", run_id(0))] == [
            run_id(0),
            run_id(1),
            run_id(0),
        ]
        with pytest.raises(AmbiguousRunError):
            trainer.resolve(run_id(0)[:20])
        assert [row.run_id for row in trainer.runs()] == [run_id(1), run_id(0)]


@pytest.mark.parametrize(
    ("spec", "env", "words"),
    [
        (RunSpec(run_id=run_id(0), command=[], cwd="/"), {}, "empty"),
        (RunSpec(run_id="x", command=["true"], cwd="/"), {}, "ULID"),
        (RunSpec(run_id=run_id(0), command=["a\0b"], cwd="/"), {}, "NUL"),
        (RunSpec(run_id=run_id(0), command=["true"], cwd="here"), {}, "absolute"),
        (RunSpec(run_id=run_id(0), command=["true"], cwd="/"), {"A=B": "x"}, "'='"),
    ],
)
def test_a_spec_that_cannot_work_is_refused_and_leaves_nothing(
    home: Path, spec: RunSpec, env: dict[str, str], words: str
) -> None:
    with trainer_of(home) as trainer:
        with pytest.raises(UsageError, match=words):
            trainer.submit(spec, env)
        assert list(DataRoot(home).runs.iterdir()) == []


def test_a_command_that_does_not_exist_fails_with_words(home: Path) -> None:
    with trainer_of(home) as trainer:
        trainer.submit(ask(0, ["no-such-command"]), {})
        row = wait_ended(trainer, 0)
        assert row.state is RunState.FAILED
        assert "command not found: no-such-command" in row.reason


def test_secrets_reach_the_worker_and_no_file(home: Path, tmp_path: Path) -> None:
    canary = "sk-canary-5f2c9d"
    with trainer_of(home) as trainer:
        trainer.submit(
            ask(0, worker("tells_environment", tmp_path / "told")), {"API_KEY": canary, "PYTHONPATH": "/x"}
        )
        assert wait_ended(trainer, 0).state is RunState.FINISHED
        told = json.loads((tmp_path / "told").read_text())
        assert told["secret_length"] == len(canary)
        assert told["path"].startswith(str(DataRoot(home).worker_site))
        assert told["path"].endswith(":/x")
        assert {"MOSAIC_RUN_DIR", "MOSAIC_RUN_ID", "MOSAIC_RECORD", "PYTHONUNBUFFERED"} <= set(told["names"])
    holding = [path for path in home.rglob("*") if path.is_file() and canary.encode() in path.read_bytes()]
    assert holding == []


def test_what_ingest_counts_is_in_the_row_and_announced(home: Path) -> None:
    progress: list[str] = []
    with trainer_of(home) as trainer:
        trainer.on_progress = lambda run, _: progress.append(run)
        trainer.submit(ask(0, ["true"]), {"PATH": os.environ["PATH"]})
        ticking(trainer, lambda: trainer.run(run_id(0)).store_seq > 0)
        assert set(progress) == {run_id(0)}  # ingest that has just started may be told twice to watch it
        assert trainer.settled(run_id(0)) is False
        assert trainer.rebuild(run_id(0)).store_seq > 0


def test_a_run_that_lasts_leaves_the_trainer_calm_and_its_end_asks_for_a_look(home: Path) -> None:
    with trainer_of(home) as trainer:
        trainer.submit(ask(0, ["sleep", "600"]), {"PATH": os.environ["PATH"]})
        ticking(trainer, lambda: trainer.calm and not trainer.restless)
        trainer.stirred.clear()
        assert not trainer.idle
        proc = runs.read_proc(DataRoot(home).run(run_id(0)))
        assert proc is not None
        assert proc.worker_pid is not None
        os.kill(proc.worker_pid, signal.SIGKILL)
        assert trainer.stirred.wait(30)
        assert trainer.restless
        ticking(trainer, lambda: trainer.idle)


def test_what_ingest_said_is_heard_without_a_look_at_any_run(home: Path) -> None:
    with trainer_of(home) as trainer:
        trainer.submit(ask(0, ["sleep", "600"]), {"PATH": os.environ["PATH"]})
        ticking(trainer, lambda: trainer.calm)
        trainer._heard(News(run_id=run_id(0), summary=StoreSummary(store_seq=1234)))
        places, trainer._places = trainer._places, {}  # whoever looks at a run fails
        changed = trainer.hear()
        trainer._places = places
    assert [row.store_seq for row in changed] == [1234]


def test_a_folder_that_comes_or_goes_while_the_daemon_lives_is_noticed(home: Path) -> None:
    root = DataRoot(home)
    with trainer_of(home) as trainer:
        folder = runs.create(root, ask(0, ["true"], name="unpacked"), created=7.0)
        folder.exit.write_text('{"code": 0, "t": 8.0}')
        ticking(trainer, trainer.runs)
        row = trainer.run(run_id(0))
        assert (row.name, row.state, row.ended) == ("unpacked", RunState.FINISHED, 8.0)
        folder.path.rename(home / "elsewhere")
        ticking(trainer, lambda: not trainer.runs())


def test_a_damaged_manifest_costs_only_that_run_its_name(home: Path) -> None:
    root = DataRoot(home)
    for number in (0, 1):
        runs.create(root, ask(number, ["true"]), created=1.0)
    root.run(run_id(0)).manifest.write_text("{")
    with trainer_of(home) as trainer:
        row = trainer.run(run_id(0))
        assert row.state is RunState.UNREADABLE
        assert "cannot be read" in row.reason
        assert root.run(run_id(0)).manifest.read_text() == "{"
        assert trainer.run(run_id(1)).command == ["true"]


def test_a_manifest_that_goes_bad_after_its_run_ended_is_told_and_not_overwritten(home: Path) -> None:
    folder = runs.create(DataRoot(home), ask(0, ["true"]), created=1.0)
    folder.exit.write_text('{"code": 0, "t": 8.0}')
    with trainer_of(home) as trainer:
        assert trainer.run(run_id(0)).state is RunState.FINISHED
        trainer.tick()
        assert trainer.run(run_id(0)).state is RunState.FINISHED
        folder.manifest.write_text("{")
        assert trainer.run(run_id(0)).state is RunState.UNREADABLE
        with pytest.raises(StoreError, match="cannot be read"):
            trainer.edit(run_id(0), name="new", set_tags={}, drop_tags=[])
        trainer.tick()
        assert folder.manifest.read_text() == "{"


def test_what_a_killed_unpack_left_goes_when_a_daemon_starts(home: Path) -> None:
    left = home / ".unpack-killed"
    left.mkdir(mode=0o700)
    (left / "manifest.json").touch()
    with trainer_of(home):
        assert not left.exists()


def test_a_submission_the_daemon_died_in_is_taken_up_by_the_next_try(home: Path) -> None:
    runs.create(DataRoot(home), ask(0, ["true"]), created=1.0)
    with trainer_of(home) as trainer:
        assert trainer.run(run_id(0)).reason.startswith("nothing was started")
        trainer.submit(ask(0, ["true"]), {"PATH": os.environ["PATH"]})
        assert wait_for(trainer, 0, RunState.FINISHED).exit is not None


def test_a_new_daemon_adopts_every_run_of_a_killed_one_with_the_right_exit_codes(
    home: Path, tmp_path: Path
) -> None:
    command = [
        sys.executable,
        str(WORKERS / "daemon_stand_in.py"),
        str(home),
        str(WORKERS / "fake_ingest.py"),
    ]
    count = 8
    waits = f"touch {tmp_path}/$0; while ! [ -e {tmp_path}/go ]; do sleep 0.05; done; exit $0"
    env = {"PATH": os.environ["PATH"]}
    asked = [{"run_id": run_id(n), "command": ["sh", "-c", waits, str(n)], "env": env} for n in range(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        first.stdin.write("".join(json.dumps(line) + "\n" for line in asked).encode())
        first.stdin.close()
        assert first.stdout.readline() == b"submitted\n"
        until(lambda: all((tmp_path / str(n)).exists() for n in range(count)))
        first.kill()
    second = Trainer(DataRoot(home), SETTINGS, ingest_command=FAKE_INGEST)
    second.start()
    found = {row.state for row in second.runs()}
    second.close()
    (tmp_path / "go").touch()  # they end while no daemon lives
    until(lambda: all(DataRoot(home).run(run_id(n)).exit.exists() for n in range(count)))
    assert found == {RunState.RUNNING}
    with trainer_of(home) as third:
        for number in range(count):
            row = wait_ended(third, number)
            assert row.exit is not None
            assert row.exit.code == number
            assert row.state is (RunState.FINISHED if number == 0 else RunState.FAILED)


def test_a_name_and_tags_can_be_changed_afterwards_and_stay_changed(home: Path) -> None:
    with trainer_of(home) as trainer:
        trainer.submit(ask(1, ["true"], name="first"), {"PATH": os.environ["PATH"]})
        # Only once it has ended and is written down: before, another change would take this one along.
        ticking(trainer, lambda: all(run.closed and not run.unsaved for run in trainer._runs.every()))
        row = trainer.edit(run_id(1), name="second", set_tags={"a": "1", "b": "2"}, drop_tags=[])
        assert (row.name, row.tags) == ("second", {"a": "1", "b": "2"})
        row = trainer.edit(run_id(1), name=None, set_tags={}, drop_tags=["a"])
        assert (row.name, row.tags) == ("second", {"b": "2"})
        trainer.tick()
        manifest = runs.read_manifest(DataRoot(home).run(run_id(1)))
        assert (manifest.spec.name, manifest.spec.tags) == ("second", {"b": "2"})
        with pytest.raises(UsageError, match="'last' always means"):
            trainer.edit(run_id(1), name="last", set_tags={}, drop_tags=[])
