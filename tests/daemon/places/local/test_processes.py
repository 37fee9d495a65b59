from __future__ import annotations

import errno
import os
import signal
import subprocess
from pathlib import Path

import pytest

from mosaic.daemon.places.local.processes import (
    Process,
    all_processes,
    boot_id,
    children,
    descendants,
    look,
    send,
)
from tests.daemon.keeping import until


def test_a_process_is_its_pid_and_its_start() -> None:
    me = look(os.getpid())
    assert me is not None
    assert (me.pid, me.parent) == (os.getpid(), os.getppid())
    assert me == look(os.getpid())
    assert me in all_processes()


def test_the_gone_and_the_zombies_are_not_there() -> None:
    with subprocess.Popen(["true"]) as process:
        until(lambda: look(process.pid) is None)
        assert Path(f"/proc/{process.pid}").exists()
    assert look(process.pid) is None


def test_a_name_with_brackets_and_spaces_is_read(tmp_path: Path) -> None:
    odd = tmp_path / "a) Z (b"
    odd.symlink_to("/bin/sleep")
    with subprocess.Popen([str(odd), "60"]) as process:
        until(lambda: (found := look(process.pid)) is not None and found.name == "a) Z (b")
        process.kill()


def test_children_of_children_are_descendants() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 60 & wait"]) as process:
        until(lambda: [child.name for child in descendants(process.pid)] == ["sleep"])
        family = descendants(os.getpid())
        assert {"sh", "sleep"} <= {member.name for member in family}
        for member in descendants(process.pid):
            send(member, signal.SIGKILL)


def test_direct_children_are_listed_and_nothing_below_them() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 60 & wait"]) as process:
        until(lambda: [child.name for child in children(process.pid)] == ["sleep"])
        assert process.pid in [child.pid for child in children(os.getpid())]
        for member in children(process.pid):
            send(member, signal.SIGKILL)
    assert children(process.pid) == []


def test_a_signal_never_reaches_a_process_that_took_over_the_pid() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        here = look(process.pid)
        assert here is not None
        send(Process(here.pid, here.start_ticks - 1, here.parent, here.name), signal.SIGKILL)
        assert process.poll() is None
        assert look(process.pid) is not None
        send(here, signal.SIGKILL)
        assert process.wait(timeout=60) == -signal.SIGKILL
    send(here, signal.SIGKILL)


def test_without_pidfds_the_check_of_the_start_time_must_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: int) -> int:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", missing)
    with subprocess.Popen(["sleep", "60"]) as process:
        here = look(process.pid)
        assert here is not None
        send(Process(here.pid, here.start_ticks - 1, here.parent, here.name), signal.SIGKILL)
        assert process.poll() is None
        send(here, signal.SIGKILL)
        assert process.wait(timeout=60) == -signal.SIGKILL


def test_the_boot_has_a_name() -> None:
    assert boot_id() == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
