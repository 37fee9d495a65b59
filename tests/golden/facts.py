"""What a golden data root says, run by run, for a later version to say again.

`python -m tests.golden.facts 0.1` writes `tests/golden/0.1/facts/RUN.json`. Run it with that version's own
code, once, when its folder is made: the files are what later versions are compared with.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from mosaic.cli import main as cli

GOLDEN = Path(__file__).parent

_OF_A_RUN = (
    "run_id", "name", "state", "reason", "created", "started", "ended", "command", "tags", "exit", "runner",
    "algorithm", "parent", "env_ids", "episodes", "steps", "metrics", "quarantined",
)  # fmt: skip
_OF_AN_EPISODE = (
    "index", "episode_id", "steps", "return", "outcome", "seed", "env_index", "agent_id", "group", "env_id",
    "t_start", "t_end",
)  # fmt: skip
_OF_A_STEP = ("step", "action", "reward", "terminated", "truncated", "t")
_OF_A_METRIC = ("name", "canonical", "value", "step", "t", "source")
_OF_A_CHECKPOINT = ("step", "reason", "sha256", "bytes", "t", "meta")


def unpack(version: str, home: Path) -> None:
    """The data root as it was, private as MOSAIC demands; a zip keeps no modes."""
    with zipfile.ZipFile(GOLDEN / version / "root.zip") as packed:
        packed.extractall(home)
    for path in home.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)


def mosaic(*words: str, code: int = 0) -> str:
    """Call the command line, in this process to be quick; what it printed."""
    printed = io.BytesIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(printed, encoding="utf-8")) as stdout:
        ended = cli._guarded(list(words))
        stdout.flush()
    assert ended == code, f"mosaic {' '.join(words)}: {printed.getvalue().decode()}"
    return printed.getvalue().decode()


def documents(text: str) -> list[dict[str, Any]]:
    """JSON lines."""
    return [json.loads(line) for line in text.splitlines()]


def gather() -> dict[str, dict[str, Any]]:
    """The facts about every run of the data root in force, by the run's name."""
    return {row["name"]: _facts(row) for row in documents(mosaic("ls", "--all", "--json"))}


def _facts(row: dict[str, Any]) -> dict[str, Any]:
    name = row["name"]
    events = documents(mosaic("events", name, "--json"))
    return {
        "run": _picked(row, _OF_A_RUN),
        "episodes": [_picked(one, _OF_AN_EPISODE) for one in documents(mosaic("episodes", name, "--json"))],
        "first steps": [_picked(one, _OF_A_STEP) for one in documents(mosaic("steps", name, "0", "--json"))][
            :5
        ],
        "metrics": [_picked(one, _OF_A_METRIC) for one in documents(mosaic("metrics", name, "--json"))],
        "checkpoints": [_saved(one) for one in documents(mosaic("checkpoints", name, "--json"))],
        "events": [{field: one[field] for field in sorted(one) if field != "seq"} for one in events],
    }


def _picked(row: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: row[name] for name in names}


def _saved(checkpoint: dict[str, Any]) -> dict[str, Any]:
    return {"file": Path(checkpoint["path"]).name, **_picked(checkpoint, _OF_A_CHECKPOINT)}


def expected(version: str) -> dict[str, dict[str, Any]]:
    """The facts as they were written down."""
    return {path.stem: json.loads(path.read_text()) for path in (GOLDEN / version / "facts").glob("*.json")}


def _written(facts: dict[str, Any]) -> str:
    """One line for each episode, event and so on, so that a change shows where it is."""
    parts = []
    for name, value in facts.items():
        if isinstance(value, list):
            lines = ",\n".join("  " + json.dumps(one) for one in value)
            parts.append(f"{json.dumps(name)}: [\n{lines}\n]" if value else f"{json.dumps(name)}: []")
        else:
            parts.append(f"{json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    (wanted,) = sys.argv[1:]
    with tempfile.TemporaryDirectory() as parent:
        os.environ["MOSAIC_HOME"] = parent
        unpack(wanted, Path(parent))
        (GOLDEN / wanted / "facts").mkdir(exist_ok=True)
        for run, facts in gather().items():
            (GOLDEN / wanted / "facts" / f"{run}.json").write_text(_written(facts))
