from __future__ import annotations

import errno
import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from mosaic.daemon.places.local import shim
from mosaic.daemon.places.local.processes import descendants, look
from mosaic.daemon.places.local.shim import Shim
from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunSpec, RunState, Want
from mosaic.runs import folder as runs
from mosaic.runs.locks import held
from mosaic_worker.common.opening import rename_over
from tests.daemon.keeping import RUN_ID, WORKERS, alive, noted, order, shim_of, state, until, worker


@pytest.mark.parametrize("code", [0, 1, 3, 255])
def test_the_exit_code_is_recorded(home: Path, code: int) -> None:
    with shim_of(home, worker("exits", code)) as (folder, shim):
        shim.wait(timeout=60)
        ended = runs.read_exit(folder)
        assert ended is not None
        assert (ended.code, ended.signal, ended.stop_asked, ended.error) == (code, None, False, None)
        assert state(folder) is (RunState.FINISHED if code == 0 else RunState.FAILED)
        assert folder.stdout.read_text() == "out\n"
        assert folder.stderr.read_text() == "err: about to leave\n"


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGKILL", "SIGTERM"])
def test_the_signal_a_worker_died_of_is_recorded(home: Path, name: str) -> None:
    with shim_of(home, worker("dies", name)) as (folder, shim):
        shim.wait(timeout=60)
        ended = runs.read_exit(folder)
        assert ended is not None
        assert (ended.code, ended.signal) == (None, getattr(signal, name))
        assert state(folder) is RunState.FAILED


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["no-such-command-here"], "command not found: no-such-command-here"),
        (["./plain"], "not executable: ./plain"),
        (["./no_shebang"], "no #! line"),
    ],
)
def test_a_command_that_cannot_start_says_why(
    home: Path, tmp_path: Path, command: list[str], words: str
) -> None:
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    (tmp_path / "no_shebang").write_bytes(b"\x00\x01")
    (tmp_path / "no_shebang").chmod(0o700)
    with shim_of(home, command, cwd=str(tmp_path)) as (folder, shim):
        shim.wait(timeout=60)
        ended = runs.read_exit(folder)
        assert ended is not None
        assert words in (ended.error or "")
        assert state(folder) is RunState.FAILED


def test_a_missing_working_folder_is_named(home: Path, tmp_path: Path) -> None:
    with shim_of(home, ["true"], cwd=str(tmp_path / "gone")) as (folder, shim):
        shim.wait(timeout=60)
        ended = runs.read_exit(folder)
        assert ended is not None
        assert "cannot enter the folder" in (ended.error or "")


def test_a_held_run_waits_and_a_stop_ends_it_at_once(home: Path) -> None:
    with shim_of(home, worker("exits", 0), want=Want.HOLD) as (folder, shim):
        until(folder.proc.exists)
        assert state(folder) is RunState.QUEUED
        order(folder, Want.STOP)
        shim.wait(timeout=60)
        ended = runs.read_exit(folder)
        assert ended is not None
        assert (ended.code, ended.signal, ended.stop_asked) == (None, None, True)
        assert state(folder) is RunState.STOPPED
        assert not folder.stdout.exists()


def test_a_polite_worker_is_stopped_by_the_first_rung(home: Path, tmp_path: Path) -> None:
    with shim_of(home, worker("sleeps", tmp_path / "ready")) as (folder, shim):
        until((tmp_path / "ready").exists)
        until(lambda: state(folder) is RunState.RUNNING)
        order(folder, Want.STOP)
        shim.wait(timeout=60)
        ended = runs.read_exit(folder)
        assert ended is not None
        assert (ended.code, ended.stop_asked) == (130, True)


def test_stop_ends_a_tree_that_ignores_signals_double_forks_and_setsids(home: Path, tmp_path: Path) -> None:
    with shim_of(home, worker("stubborn", tmp_path)) as (folder, shim):
        family = noted(tmp_path, 3)
        assert len(family) == 3
        order(folder, Want.STOP)
        shim.wait(timeout=60)
        assert not [process for process in family if alive(process)]
        ended = runs.read_exit(folder)
        assert ended is not None
        assert (ended.signal, ended.stop_asked) == (signal.SIGKILL, True)


def test_stop_ends_a_process_that_keeps_forking_and_exiting(home: Path, tmp_path: Path) -> None:
    with shim_of(home, worker("hops", tmp_path)) as (folder, shim):
        until((tmp_path / "hopping").exists)
        order(folder, Want.STOP)
        shim.wait(timeout=60)
        assert not held(folder.tree_lock)
        assert state(folder) is RunState.STOPPED


def status_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_pause_freezes_the_whole_tree_and_resume_continues_it(home: Path, tmp_path: Path) -> None:
    count = tmp_path / "count"
    command = ["sh", "-c", " ".join(worker("counts", count)) + " & wait"]
    with shim_of(home, command) as (folder, _):
        until(lambda: count.exists() and count.stat().st_size > 3)
        order(folder, Want.PAUSE, "disk low")
        until(lambda: state(folder) is RunState.PAUSED)
        proc = runs.read_proc(folder)
        assert proc is not None
        family = descendants(proc.shim_pid)
        assert len(family) == 2
        until(lambda: [status_of(process.pid) for process in family] == ["T", "T"])
        size = count.stat().st_size
        order(folder, Want.RUN)
        until(lambda: count.stat().st_size > size)
        until(lambda: state(folder) is RunState.RUNNING)


def test_a_paused_run_can_be_stopped(home: Path, tmp_path: Path) -> None:
    with shim_of(home, worker("sleeps", tmp_path / "ready")) as (folder, shim):
        until((tmp_path / "ready").exists)
        order(folder, Want.PAUSE)
        until(lambda: state(folder) is RunState.PAUSED)
        order(folder, Want.STOP)
        shim.wait(timeout=60)
        ended = runs.read_exit(folder)
        assert ended is not None
        assert (ended.code, ended.stop_asked) == (130, True)


def test_what_outlives_the_worker_is_ended_after_the_grace_time_and_named(home: Path, tmp_path: Path) -> None:
    with shim_of(home, worker("leaves_children", tmp_path), grace_secs=0.3) as (folder, shim):
        until(folder.exit.exists)
        assert state(folder) is RunState.FAILED
        first = runs.read_exit(folder)
        left = noted(tmp_path, 1)
        shim.wait(timeout=60)
        assert not [process for process in left if alive(process)]
        ended = runs.read_exit(folder)
        assert ended is not None
        assert first is not None
        assert (ended.code, ended.t) == (5, first.t)
        assert [str(process.pid) in text for process, text in zip(left, ended.leftovers, strict=True)] == [
            True
        ]


def test_what_a_paused_run_leaves_behind_is_woken_to_end_by_itself(home: Path, tmp_path: Path) -> None:
    count = tmp_path / "count"
    command = ["sh", "-c", " ".join(worker("counts", count)) + " & wait"]
    with shim_of(home, command, grace_secs=600.0) as (folder, _):
        until(lambda: count.exists() and count.stat().st_size > 3)
        order(folder, Want.PAUSE)
        until(lambda: state(folder) is RunState.PAUSED)
        proc = runs.read_proc(folder)
        assert proc is not None
        assert proc.worker_pid is not None
        os.kill(proc.worker_pid, signal.SIGKILL)
        until(folder.exit.exists)
        size = count.stat().st_size
        until(lambda: count.stat().st_size > size)


def test_everything_is_synced_before_the_exit_is_recorded(home: Path) -> None:
    spec = RunSpec(run_id=RUN_ID, command=worker("exits", 0), cwd="/")
    folder = runs.create(DataRoot(home), spec, created=0.0)
    order(folder, Want.RUN)
    go = home / "go"
    program = (  # a shim that waits before it gives a record its name
        f"import os, time, {Shim.__module__} as shim\n"
        "named = shim.rename_over\n"
        "def rename_over(source, name, **where):\n"
        f"    while name == 'exit.json' and not os.path.exists({str(go)!r}): time.sleep(0.01)\n"
        "    named(source, name, **where)\n"
        "shim.rename_over = rename_over\n"
        f"shim.Shim({str(folder.path)!r}, sync_secs=3600).run()"
    )
    paths = os.pathsep.join(path for path in sys.path if path)
    shim = subprocess.Popen([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": paths})
    try:
        until(folder.synced.exists)
        assert folder.stdout.read_text() == "out\n"
        assert not folder.exit.exists()
    finally:
        go.touch()
        shim.wait(timeout=60)
    assert state(folder) is RunState.FINISHED


def test_leftovers_are_ended_at_once_when_asked(home: Path, tmp_path: Path) -> None:
    with shim_of(home, worker("leaves_children", tmp_path), grace_secs=60.0) as (folder, shim):
        until(folder.exit.exists)
        order(folder, Want.STOP)
        shim.wait(timeout=60)
        assert state(folder) is RunState.FAILED


def test_signals_of_a_hung_up_terminal_do_not_end_the_shim(home: Path, tmp_path: Path) -> None:
    with shim_of(home, worker("sleeps", tmp_path / "ready")) as (folder, shim):
        until((tmp_path / "ready").exists)
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            shim.send_signal(number)
        order(folder, Want.STOP)
        assert shim.wait(timeout=60) == 0


def test_the_worker_gets_default_signals_an_own_session_and_no_input(home: Path, tmp_path: Path) -> None:
    with shim_of(home, worker("sleeps", tmp_path / "ready")) as (folder, shim):
        until((tmp_path / "ready").exists)
        until(lambda: state(folder) is RunState.RUNNING)
        pid = int((tmp_path / "ready").read_text())
        fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        assert int(fields["SigBlk"], 16) == 0
        ignored = int(fields["SigIgn"], 16)
        assert not ignored & (1 << (signal.SIGINT - 1) | 1 << (signal.SIGTERM - 1) | 1 << (signal.SIGHUP - 1))
        assert os.getsid(pid) == pid
        assert os.readlink(f"/proc/{pid}/fd/0") == "/dev/null"
        proc = runs.read_proc(folder)
        found = look(pid)
        assert proc is not None
        assert found is not None
        assert (proc.shim_pid, proc.worker_pid, proc.worker_start_ticks) == (shim.pid, pid, found.start_ticks)


def test_killing_the_shim_orphans_the_run_and_it_is_lost_when_the_worker_ends(
    home: Path, tmp_path: Path
) -> None:
    with shim_of(home, worker("sleeps", tmp_path / "ready")) as (folder, shim):
        until((tmp_path / "ready").exists)
        shim.kill()
        shim.wait()
        assert state(folder) is RunState.ORPHANED
        os.kill(int((tmp_path / "ready").read_text()), signal.SIGKILL)
        until(lambda: state(folder) is RunState.LOST)


def test_everything_it_writes_is_private(home: Path) -> None:
    old = os.umask(0)
    try:
        with shim_of(home, worker("exits", 0)) as (folder, shim):
            shim.wait(timeout=60)
            open_to_others = [
                path.name for path in folder.path.iterdir() if stat.S_IMODE(path.stat().st_mode) & 0o077
            ]
            assert open_to_others == []
            assert not folder.path.joinpath("shim.log").exists()
    finally:
        os.umask(old)


def test_a_flood_of_output_is_kept_whole(home: Path) -> None:
    with shim_of(home, worker("floods", 20_000)) as (folder, shim):
        shim.wait(timeout=60)
        assert folder.stdout.stat().st_size == 2_000_000


def test_exit_json_is_written_once_the_disk_takes_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder refuses new names for a while, as a full disk would."""
    folder = runs.create(DataRoot(home), RunSpec(run_id=RUN_ID, command=["x"], cwd="/"), created=0.0)
    keeper = Shim(str(folder.path))
    refusals = [OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EIO, "Input/output error")]

    def full(temporary: str, name: str, *, dir_fd: int) -> None:
        if refusals:
            raise refusals.pop()
        rename_over(temporary, name, dir_fd=dir_fd)

    monkeypatch.setattr(shim, "rename_over", full)
    try:
        keeper._record_exit({"signal": 9})
    finally:
        os.close(keeper._lock)
        os.close(keeper._folder)
    assert not refusals
    assert json.loads(folder.exit.read_bytes())["signal"] == signal.SIGKILL


@pytest.mark.parametrize("name", ["exit.json", "proc.json", ".exit.json.reserve", ".proc.json.tmp", "synced"])
@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_the_end_is_recorded_whatever_is_put_in_the_place_of_a_record(
    home: Path, tmp_path: Path, name: str, kind: str
) -> None:
    with shim_of(home, worker("sleeps", tmp_path / "ready")) as (folder, shim):
        until((tmp_path / "ready").exists)
        until(lambda: state(folder) is RunState.RUNNING)
        put(folder.path / name, kind, tmp_path / "outside")
        os.kill(int((tmp_path / "ready").read_text()), signal.SIGKILL)
        shim.wait(timeout=60)
        ended = runs.read_exit(folder)
        assert ended is not None
        assert ended.signal == signal.SIGKILL
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_what_is_no_segment_in_the_journal_neither_holds_up_the_end_nor_a_stop(
    home: Path, tmp_path: Path, kind: str
) -> None:
    with shim_of(home, worker("sleeps", tmp_path / "ready")) as (folder, shim):
        until((tmp_path / "ready").exists)
        put(folder.journal / "a-0000.jsonl", kind, tmp_path / "outside")
        (folder.journal / "b-0000.jsonl").write_text("{}\n")
        until(folder.synced.exists)
        order(folder, Want.STOP)
        shim.wait(timeout=60)
        assert state(folder) is RunState.STOPPED


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
@pytest.mark.parametrize(
    "name", ["control.json", "shim.lock", "tree.lock", "stdout.log", "manifest.json", "journal"]
)
def test_a_shim_goes_on_and_can_be_stopped_whatever_is_put_into_its_folder(
    home: Path, tmp_path: Path, name: str, kind: str
) -> None:
    with shim_of(home, worker("sleeps", tmp_path / "ready")) as (folder, shim):
        until((tmp_path / "ready").exists)
        put(folder.path / name, kind, tmp_path / "outside")
        order(folder, Want.STOP)
        shim.wait(timeout=60)
        ended = runs.read_exit(folder)
        assert ended is not None
        assert ended.stop_asked


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
@pytest.mark.parametrize("name", ["tree.lock", "stdout.log", "stderr.log", "manifest.json"])
def test_a_worker_that_cannot_be_started_in_such_a_folder_has_failed_with_the_reason(
    home: Path, tmp_path: Path, name: str, kind: str
) -> None:
    with shim_of(home, worker("exits", 0), want=Want.HOLD) as (folder, shim):
        until(folder.proc.exists)
        put(folder.path / name, kind, tmp_path / "outside")
        order(folder, Want.RUN)
        shim.wait(timeout=60)
        ended = runs.read_exit(folder)
        assert ended is not None
        assert name in str(ended.error)
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    "torn", [b"[]", b'{"want": "dance"}', b'{"want": []}', b"\0" * 100, b"[" * 100_000, b'{"want"']
)
def test_what_is_no_order_starts_nothing(home: Path, torn: bytes) -> None:
    with shim_of(home, worker("exits", 0), want=Want.HOLD) as (folder, shim):
        until(folder.proc.exists)
        folder.control.write_bytes(torn)
        with pytest.raises(subprocess.TimeoutExpired):
            shim.wait(timeout=0.5)
        assert not folder.stdout.exists()


def put(path: Path, kind: str, outside: Path) -> None:
    """Put something else in the place of a file."""
    if path.is_dir():
        path.rename(path.with_name("gone"))
    path.unlink(missing_ok=True)
    if kind == "folder":
        path.mkdir()
        (path / "in it").touch()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(outside)


@pytest.mark.parametrize(
    ("then", "told"),
    [
        ("sleep 60", {"room": False, "state": "stopped", "stop_asked": True}),
        ("exit 7", {"room": False, "state": "failed", "stop_asked": False, "code": 7}),
    ],
)
def test_on_a_full_disk_a_run_can_be_stopped_and_its_end_is_recorded(
    tmp_path: Path, then: str, told: dict[str, object]
) -> None:
    program = [sys.executable, str(WORKERS / "on_full_disk.py"), str(tmp_path), then]
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", *program],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout).items() >= told.items()


def test_a_shim_is_small(home: Path, tmp_path: Path) -> None:
    with shim_of(home, worker("sleeps", tmp_path / "ready")) as (_, shim):
        until((tmp_path / "ready").exists)
        fields = dict(
            line.split(":", 1) for line in Path(f"/proc/{shim.pid}/smaps_rollup").read_text().splitlines()[1:]
        )
        assert int(fields["Private_Dirty"].split()[0]) < 10 * 1024
