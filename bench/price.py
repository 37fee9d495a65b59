"""What recording costs a machine in all: processor time of every process of ours, beside the program alone.

    python -m bench.price [--secs N] [--only NAME,...]     (`python -m bench price` measures all of it)

A program that keeps a pace, and SB3 PPO, each unrecorded, recorded, and recorded while somebody looks ten
times a second; on one shared core and on two. Read from /proc/<pid>/stat: shim, daemon, ingest and the
command that attends. What recording adds inside the worker is its own figure, the difference to the program
alone; the viewer's own work is the viewer's. Start-up is apart: counted is from the first step to the last.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from mosaic.paths import DataRoot
from tests.envs import folder_of

SCRIPTS = Path(__file__).parent / "scripts"
RATES = (1_000, 10_000)
_MOSAIC = [sys.executable, "-m", "mosaic"]
_TICKS_PER_SEC = os.sysconf("SC_CLK_TCK")
_WATCH_HERTZ = 10

Figures = dict[str, float]


class Bench:
    """One daemon in a data root of its own, bound to some cores with all it starts. A context manager."""

    def __init__(self, cores: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mosaic-price-")
        self._bound = ["taskset", "-c", cores]
        self.root = DataRoot(Path(self._folder.name))
        self.environment = {**os.environ, "MOSAIC_HOME": self._folder.name}

    def __enter__(self) -> Bench:
        self.call("daemon", "start")
        return self

    def __exit__(self, *_: object) -> None:
        self.call("daemon", "stop")
        self._folder.cleanup()

    def call(self, *words: str) -> None:
        """Run a short command of ours."""
        subprocess.run(self.bound(*_MOSAIC, *words), env=self.environment, check=True, capture_output=True)

    def bound(self, *words: str) -> list[str]:
        """A command on our cores."""
        return [*self._bound, *words]

    def processes(self) -> dict[str, int]:
        """The pids of the daemon, of ingest, and of the newest run's shim and worker."""
        found = {"daemon": int(json.loads(self.root.daemon_info.read_text())["pid"])}
        for pid in _children(found["daemon"]):
            if b"mosaic.daemon.ingest" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found["ingest"] = pid
        for folder in sorted(self.root.runs.iterdir())[-1:]:
            proc = json.loads((folder / "proc.json").read_text())
            found |= {"shim": proc["shim_pid"], "worker": proc["worker_pid"]}
        return found


def _children(pid: int) -> list[int]:
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]


def _cpu_secs(pid: int) -> float:
    """What a process has used so far, its threads included; nothing once it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_SEC


def _until(lines: IO[str], word: str) -> str:
    for line in lines:
        if line.startswith(word):
            return line.removeprefix(word)
    raise RuntimeError(f"the program ended without a line {word!r}")


@contextmanager
def _viewer(bench: Bench, *, watched: bool) -> Iterator[dict[str, int]]:
    if not watched:
        yield {}
        return
    words = bench.bound(sys.executable, str(SCRIPTS / "viewer.py"), "last", str(_WATCH_HERTZ), "frames")
    with subprocess.Popen(words, env=bench.environment, stdout=subprocess.PIPE, text=True) as viewer:
        try:
            assert viewer.stdout is not None
            _until(viewer.stdout, "WATCHING")
            yield {"viewer": viewer.pid}
        finally:
            viewer.kill()


def _alone(bench: Bench, program: list[str]) -> Figures:
    """The program by itself."""
    words = bench.bound(*program)
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, env=bench.environment)
    return dict(json.loads(_until(iter(done.stdout.splitlines()), "TIMED ")))  # type: ignore[arg-type]


def _recorded(bench: Bench, program: list[str], *, watched: bool) -> Figures:
    """The program recorded: its own figures, and percents of a core for each process of ours."""
    words = bench.bound(*_MOSAIC, "run", "--", *program)
    with subprocess.Popen(
        words, env=bench.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as attending:
        assert attending.stdout is not None
        _until(attending.stdout, "BEGIN")
        with _viewer(bench, watched=watched) as viewer:
            pids = {**bench.processes(), **viewer, "attending": attending.pid}
            before = {name: _cpu_secs(pid) for name, pid in pids.items()}
            began = time.monotonic()
            found = dict(json.loads(_until(attending.stdout, "TIMED ")))
            wall = time.monotonic() - began
            used = {name: _cpu_secs(pid) - before[name] for name, pid in pids.items()}
    percents = {f"{name}_percent": 100 * secs / wall for name, secs in used.items() if name != "worker"}
    ours = sum(percent for name, percent in percents.items() if name != "viewer_percent")
    return {**found, **percents, "ours_percent": ours}


def _paced(cores: str, rate: int, secs: float) -> Figures:
    program = [sys.executable, str(SCRIPTS / "paced_steps.py"), str(rate), str(secs)]
    found: Figures = {}
    with Bench(cores) as bench:
        alone = _alone(bench, program)
        for name, watched in (("unwatched", False), ("watched", True)):
            seen = _recorded(bench, program, watched=watched)
            extra = 100 * (seen["cpu"] / seen["wall"] - alone["cpu"] / alone["wall"])
            seen |= {"worker_extra_percent": extra, "alone_percent": 100 * alone["cpu"] / alone["wall"]}
            found |= {f"{name}_{key}": value for key, value in seen.items()}
    return found


def _ppo(cores: str, steps: int, pairs: int) -> Figures:
    """Percent by which PPO takes longer, alone and recorded in turn, so that a slow hour hits both.

    `more` counts processor time, the worker's and ours, beside the program's alone: what a core that nobody
    else uses would take longer. A busy machine blurs it less than the wall time.
    """
    python = str(folder_of("sb3") / "bin" / "python")
    program = [python, str(SCRIPTS / "ppo_cartpole.py"), str(steps), cores]
    slower: dict[str, list[float]] = {"unwatched": [], "watched": []}
    more: dict[str, list[float]] = {"unwatched": [], "watched": []}
    ours: dict[str, list[float]] = {"unwatched": [], "watched": []}
    with Bench(cores) as bench:
        for _ in range(pairs):
            alone = _alone(bench, program)
            for name, found in slower.items():
                seen = _recorded(bench, program, watched=name == "watched")
                found.append(100 * (seen["wall"] / alone["wall"] - 1))
                used = seen["cpu"] + seen["wall"] * seen["ours_percent"] / 100
                more[name].append(100 * (used / alone["cpu"] - 1))
                ours[name].append(seen["ours_percent"])
    return {
        **{f"{name}_slower_percent": statistics.median(values) for name, values in slower.items()},
        **{f"{name}_more_percent": statistics.median(values) for name, values in more.items()},
        **{f"{name}_ours_percent": statistics.median(values) for name, values in ours.items()},
    }


def _idle(cores: str, secs: float) -> Figures:
    """Percents of a core with nothing to do, and what the attending command takes for a run of nothing."""
    with Bench(cores) as bench:
        began = os.times()
        bench.call("run", "--", sys.executable, "-c", "pass")
        ended = os.times()
        command = ended.children_user + ended.children_system - began.children_user - began.children_system
        bare = os.times()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        done = os.times()
        time.sleep(2.0)
        pids = {name: pid for name, pid in bench.processes().items() if name in ("daemon", "ingest")}
        before = {name: _cpu_secs(pid) for name, pid in pids.items()}
        time.sleep(secs)
        used = {name: 100 * (_cpu_secs(pid) - before[name]) / secs for name, pid in pids.items()}
    return {
        **{f"{name}_percent": value for name, value in used.items()},
        "ours_percent": sum(used.values()),
        "command_secs": command,
        "bare_python_secs": done.children_user + done.children_system
        - bare.children_user - bare.children_system,
    }  # fmt: skip


def measure(*, secs: float = 60.0, only: tuple[str, ...] = (), pairs: int = 3) -> Figures:
    """All figures, or those whose names begin with one of `only`: idle, paced, ppo."""
    cores = [str(core) for core in sorted(os.sched_getaffinity(0))[:2]]
    wanted = only or ("idle", "paced", "ppo")
    found: Figures = {}
    if "idle" in wanted:
        found |= {f"idle_{name}": value for name, value in _idle(",".join(cores), secs).items()}
    for count in range(1, len(cores) + 1):
        on, label = ",".join(cores[:count]), f"{count}_cores"
        for rate in RATES:
            if "paced" in wanted or f"paced{rate}" in wanted:
                figures = _paced(on, rate, secs)
                found |= {f"{label}_{rate}_{name}": value for name, value in figures.items()}
        if "ppo" in wanted:
            if not (folder_of("sb3") / "complete").exists():
                print(
                    "SB3 PPO is left out: build its environment with python tests/envs.py sb3",
                    file=sys.stderr,
                )
                continue
            steps = 256 * max(4, int(secs * 2.5))
            found |= {f"{label}_ppo_{name}": value for name, value in _ppo(on, steps, pairs).items()}
    return found


def main() -> None:
    """Measure and print, as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--secs", type=float, default=60.0, help="length of each program")
    parser.add_argument("--pairs", type=int, default=3, help="pairs of PPO, alone and recorded")
    parser.add_argument("--only", default="", help="of: idle, paced, paced1000, paced10000, ppo")
    asked = parser.parse_args()
    only = tuple(name for name in asked.only.split(",") if name)
    print(json.dumps(measure(secs=asked.secs, only=only, pairs=asked.pairs), indent=2))


if __name__ == "__main__":
    main()
