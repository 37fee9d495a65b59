"""Reads a run's journal as its contract says, with nothing of ours but the file format."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[2] / "src" / "mosaic_worker"


@dataclass
class Outcome:
    """What a recorded script printed, and what its journal holds."""

    code: int
    stdout: str
    stderr: str
    run_dir: Path

    @property
    def said(self) -> Any:
        """The JSON of the script's last line."""
        return json.loads(self.stdout.strip().splitlines()[-1])

    @property
    def producers(self) -> dict[str, list[dict[str, Any]]]:
        return read_journal(self.run_dir)

    def events(self, kind: str | None = None) -> list[dict[str, Any]]:
        found = [event for events in self.producers.values() for event in events]
        return found if kind is None else [event for event in found if event["type"] == kind]


def lines_of(data: bytes) -> list[bytes]:
    """The complete lines of a segment: those that end in a newline and hold no NUL."""
    return [line for line in data.split(b"\n")[:-1] if b"\0" not in line]


def read_journal(run_dir: Path) -> dict[str, list[dict[str, Any]]]:
    """Every producer's events, in order. Asserts what every journal keeps: hello first, no hole in seq."""
    found: dict[str, list[dict[str, Any]]] = {}
    folder = run_dir / "journal"
    for segment in sorted(folder.glob("*.jsonl")) if folder.exists() else []:
        producer, _, number = segment.stem.rpartition("-")
        assert int(number) == len([s for s in folder.glob(f"{producer}-*") if s.name < segment.name])
        lines = lines_of(segment.read_bytes())
        found.setdefault(producer, []).extend(json.loads(line) for line in lines)
    for producer, events in found.items():
        assert [event["seq"] for event in events] == list(range(len(events)))
        assert events[0]["type"] == "hello"
        assert events[0]["producer"] == producer
    return found


def site_of(folder: Path) -> Path:
    """A worker site as the daemon makes it."""
    site = folder / "site"
    if not site.exists():
        site.mkdir(parents=True)
        shutil.copytree(SOURCE, site / "mosaic_worker", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(SOURCE / "site" / "sitecustomize.py", site / "sitecustomize.py")
    return site


def environment(folder: Path, *, more_path: str = "", **extra: str) -> dict[str, str]:
    """The environment of a worker whose run folder is `folder/run`."""
    path = str(site_of(folder)) + (os.pathsep + more_path if more_path else "")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("MOSAIC_", "PYTHON"))}
    return {
        **clean,
        "MOSAIC_SHM": os.environ["MOSAIC_SHM"],
        "MOSAIC_RUN_DIR": str(folder / "run"),
        "MOSAIC_RUN_ID": "test",
        "PYTHONPATH": path,
        "PYTHONUNBUFFERED": "1",
        "SDL_VIDEODRIVER": "dummy",
        **extra,
    }


def record(
    folder: Path, script: str, *, python: str = sys.executable, more_path: str = "", **extra: str
) -> Outcome:
    """Run a script as a recorded worker."""
    file = folder / "script.py"
    file.write_text(textwrap.dedent(script))
    done = subprocess.run(
        [python, str(file)],
        env=environment(folder, more_path=more_path, **extra),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr, folder / "run")
