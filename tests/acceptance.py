"""The promise to users, as they would check it: `mosaic run -- SCRIPT`, then ask what it recorded.

Every call is a process of its own with only `MOSAIC_HOME` to go by. For scripts that count for themselves.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.recording import assert_as_counted, expectation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["Workbench", "assert_recorded_as_counted", "workbench"]


@dataclass(frozen=True)
class Workbench:
    """A data root and the command line on it."""

    home: Path
    env: Mapping[str, str]
    python: str = sys.executable

    def call(
        self, *args: str | os.PathLike[str], timeout_secs: float = 300.0
    ) -> subprocess.CompletedProcess[str]:
        """Call `mosaic`; the caller judges the exit code."""
        command = [self.python, "-m", "mosaic", *(os.fspath(arg) for arg in args)]
        return subprocess.run(
            command,
            env={**os.environ, **self.env, "MOSAIC_HOME": str(self.home)},
            cwd=self.home.parent,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_secs,
            check=False,
        )

    def ask(self, *args: str) -> list[Any]:
        """The JSON lines a command answers with."""
        done = self.call(*args, "--json")
        assert done.returncode == 0, f"mosaic {' '.join(args)}: {done.stderr}"
        return [json.loads(line) for line in done.stdout.splitlines()]

    def show(self) -> dict[str, Any]:
        """What `mosaic show last` says."""
        done = self.call("show", "last", "--json")
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@contextmanager
def workbench(home: Path, *, python: str = sys.executable, **env: str) -> Iterator[Workbench]:
    """A workbench whose daemon, if one was started, is stopped at the end."""
    bench = Workbench(home, env, python)
    try:
        yield bench
    finally:
        stopped = bench.call("daemon", "stop")
        assert stopped.returncode == 0, stopped.stderr


def assert_recorded_as_counted(bench: Workbench, command: Sequence[str | os.PathLike[str]]) -> dict[str, Any]:
    """Run a script under `mosaic run`; what can be asked equals what it counted. Returns `show`."""
    done = bench.call("run", "--", *command)
    assert done.returncode == 0, done.stdout + done.stderr
    expected = expectation(bench.call("logs", "last", "--stderr").stdout)
    shown = bench.show()
    episodes = bench.ask("episodes", "last")
    assert_as_counted(
        expected,
        episodes=episodes,
        first_steps=bench.ask("steps", "last", "0"),
        metrics=bench.ask("metrics", "last"),
    )
    assert shown["state"] == "finished"
    assert (shown["exit"]["code"], shown["exit"]["signal"]) == (0, None)
    assert shown["command"] == [os.fspath(part) for part in command]
    assert shown["episodes"] == len(expected["episodes"])
    assert shown["steps"] == sum(row["steps"] for row in expected["episodes"])
    assert shown["metrics"] == len(expected["metrics"])
    assert (shown["quarantined"], shown["lag_events"]) == (0, 0)
    assert [row["index"] for row in episodes] == list(range(len(episodes)))
    verified = bench.call("verify", "last")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    return shown
