"""Run a program the way a worker runs, without a daemon, and read back what its journal says.

Also the one comparison that all tests of unmodified scripts share: what was recorded against what the script
counted itself (the line `EXPECT {...}` it prints on stderr).
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mosaic import worker_site
from mosaic.paths import DataRoot
from mosaic.protocol import floats

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

__all__ = ["Recorded", "assert_as_counted", "expectation", "record"]


@dataclass(frozen=True)
class Recorded:
    """A program that has run, and the events it left."""

    returncode: int
    stdout: str
    stderr: str
    events: list[dict[str, Any]]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The events of one type, in the order each producer wrote them."""
        return [event for event in self.events if event["type"] == kind]

    def episodes(self) -> list[dict[str, Any]]:
        """One row per episode, in the order they began, with the public names."""
        ended = {event["episode_id"]: event for event in self.of("episode")}
        rows = []
        for began in self.of("reset"):
            names = ("episode_id", "agent_id", "seed")
            row = {"env_index": began.get("env_index", 0), **{name: began.get(name) for name in names}}
            end = ended[began["episode_id"]]
            rows.append({**row, **{name: end.get(name) for name in ("steps", "return", "outcome")}})
        return rows

    def steps(self, episode: int) -> list[dict[str, Any]]:
        """The steps of the n-th episode, fields left out filled in."""
        wanted = self.of("reset")[episode]["episode_id"]
        defaults = {"action": None, "reward": 0.0, "terminated": False, "truncated": False, "obs": None}
        return [{**defaults, **event} for event in self.of("step") if event["episode_id"] == wanted]

    @property
    def hook_errors(self) -> dict[str, int]:
        """What our own hooks failed at, from every producer's last line."""
        return {name: count for bye in self.of("bye") for name, count in bye.get("hook_errors", {}).items()}


def record(
    command: Sequence[str | os.PathLike[str]],
    *,
    folder: Path,
    env: Mapping[str, str] | None = None,
    timeout_secs: float = 110.0,
) -> Recorded:
    """Run a command with our hooks on its path and a journal in `folder`, which is also where it runs."""
    site = worker_site.install(DataRoot(folder / "root"))
    run = folder / "run"
    (run / "journal").mkdir(mode=0o700, parents=True)
    given = {**os.environ, **(env or {})}
    rest = given.get("PYTHONPATH")
    ours = {
        "PYTHONPATH": f"{site}{os.pathsep}{rest}" if rest else str(site),
        "MOSAIC_RUN_DIR": str(run),
        "MOSAIC_RUN_ID": "test",
    }
    done = subprocess.run(
        [os.fspath(part) for part in command],
        cwd=folder,
        env={**given, **ours},
        capture_output=True,
        text=True,
        timeout=timeout_secs,
        check=False,
    )
    return Recorded(done.returncode, done.stdout, done.stderr, list(_events(run / "journal")))


def _events(journal: Path) -> Iterable[dict[str, Any]]:
    for segment in sorted(journal.glob("*.jsonl")):
        for line in segment.read_bytes().rstrip(b"\0").splitlines():
            yield json.loads(line)


def expectation(stderr: str) -> dict[str, Any]:
    """What a script says it counted itself."""
    lines = [line for line in stderr.splitlines() if line.startswith("EXPECT ")]
    assert lines, f"the script did not come to its end:\n{stderr[-2000:]}"
    found: dict[str, Any] = json.loads(lines[-1].removeprefix("EXPECT "))
    return found


def assert_as_counted(
    expected: Mapping[str, Any],
    *,
    episodes: Sequence[Mapping[str, Any]],
    first_steps: Sequence[Mapping[str, Any]],
    metrics: Sequence[Mapping[str, Any]],
) -> None:
    """Recorded equals counted, bit for bit. Only the order between environments may differ."""
    counted = _by_place(expected["episodes"], expected["episodes"])
    recorded = _by_place(episodes, expected["episodes"])
    assert sorted(counted, key=str) == sorted(recorded, key=str), "other environments or agents"
    for place, rows in counted.items():
        assert rows == recorded[place], f"{place}: counted {rows}, recorded {recorded[place]}"
    if "first_steps" in expected:
        names = ("action", "reward", "terminated", "truncated")
        found = [[step[name] for name in names] for step in first_steps]
        rows = [row[:4] for row in expected["first_steps"]]
        assert rows == found, f"steps counted {rows}, recorded {found}"
    values = [_exact(name, value, step) for name, value, step in expected["metrics"]]
    logged = [_exact(row["name"], row["value"], row.get("step")) for row in metrics]
    assert values == logged, f"metrics counted {values}, recorded {logged}"


def _exact(name: str, value: floats.JsonFloat, step: int | None) -> tuple[str, int, int | None]:
    return name, floats.bits_of(floats.from_json(value)), step


def _by_place(rows: Sequence[Mapping[str, Any]], like: Sequence[Mapping[str, Any]]) -> dict[Any, list[Any]]:
    """Rows of each environment and agent in their order, with the fields the script counted."""
    placed = defaultdict(list)
    taken: dict[Any, int] = defaultdict(int)
    wanted: dict[Any, list[set[str]]] = defaultdict(list)
    for row in like:
        wanted[_place(row)].append(set(row))
    for row in rows:
        place = _place(row)
        position = taken[place]
        taken[place] += 1
        names = wanted[place][position] if position < len(wanted[place]) else set(row)
        placed[place].append({name: row.get(name) for name in names})
    return placed


def _place(row: Mapping[str, Any]) -> tuple[int, str | None]:
    return row.get("env_index", 0), row.get("agent_id")
