"""Sessions: ticks in lock-step and moves of chess, recorded and not, a decision from another process, a key.

Ticks are of processor time of the playing process, with operators that draw, each by a seed of its own: some
copies end early and wait, as in life. A decision is the way to a child and back, its wake-up included. From a
key press to its frame: `bench.keys`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np

from bench import keys
from mosaic import worker_site
from mosaic.paths import DataRoot
from mosaic_worker.operators.remote import Framed, Lines
from mosaic_worker.operators.seating import Sitter
from mosaic_worker.session.operator import Seat

__all__ = ["SETTINGS", "measure"]

SCRIPTS = Path(__file__).parent / "scripts"
SETTINGS = (
    ("CartPole-v1", 4, 20_000),
    ("CartPole-v1", 8, 10_000),
    ("FrozenLake-v1", 4, 20_000),
    ("MiniGrid-Empty-8x8-v0", 4, 4_000),
)
_ECHO = """
import sys
for line in sys.stdin:
    if '"act"' in line:
        number = line.partition('"id":')[2].partition(",")[0]
        sys.stdout.write('{"id":' + number + ',"action":0}\\n')
    elif '"open"' in line:
        sys.stdout.write('{"ready":true}\\n')
    sys.stdout.flush()
"""
_SERVE = """
from mosaic_worker.drivers.kit import Policy, serve
serve(None, lambda words, around: Policy(lambda view: 0))
"""
_DECISIONS = 2000
_CHESS, _MOVES = "pettingzoo.classic.chess_v6", 3_000


def measure() -> dict[str, float]:
    """Ticks per second by environment and number of seats, moves of chess; a decision in µs, a key in ms."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        root = DataRoot(Path(folder))
        site = worker_site.install(root)
        for name, recorded in (("recorded", True), ("bare", False)):
            for env_id, seats, ticks in SETTINGS:
                run = Path(folder) / f"{env_id}-{seats}-{name}" if recorded else None
                words = ["lockstep.py", env_id, str(seats), str(ticks)]
                found[f"{env_id}_{seats}_{name}"] = _timed(words, site, run)["ticks_per_sec"]
            run = Path(folder) / f"game-{name}" if recorded else None
            found[f"chess_{name}"] = _timed(["moves.py", _CHESS, str(_MOVES)], site, run)["moves_per_sec"]
        environment = dict(os.environ)
        os.environ["PYTHONPATH"] = str(site)
        try:
            found["framed_us"] = _decision(Framed, _SERVE)
            found["lines_us"] = _decision(Lines, _ECHO)
        finally:
            os.environ.clear()
            os.environ.update(environment)
    return found | keys.measure()


def _timed(words: list[str], site: Path, run: Path | None) -> dict[str, float]:
    """What a script of ours measured in a process of its own, recorded into `run` if there is one."""
    ours = {}
    if run is not None:
        (run / "journal").mkdir(parents=True)
        ours = {"MOSAIC_RUN_DIR": str(run), "MOSAIC_RUN_ID": "01BENCH"}
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / words[0]), *words[1:]],
        env={**os.environ, "PYTHONPATH": str(site), **ours},
        capture_output=True,
        text=True,
        check=True,
    )
    timed = next(line for line in done.stdout.splitlines() if line.startswith("TIMED "))
    measured: dict[str, float] = json.loads(timed[6:])
    return measured


def _decision(kind: Any, program: str) -> float:
    """The median of what a decision takes, with a CartPole observation."""
    space = gym.spaces.Box(-1, 1, (4,))
    sitter = Sitter("CartPole-v1", "", space, gym.spaces.Discrete(2), 30.0)
    child = kind([sys.executable, "-c", program], name="bench", about=sitter.told())
    view: Any = SimpleNamespace(
        actor="", observation=np.zeros(4, np.float32), mask=None, rule=None, step=1, returned=0.0
    )
    took = []
    try:
        child.start()
        child.wait_ready()
        child.begin(Seat("", gym.spaces.Discrete(2), 1))
        for _ in range(_DECISIONS):
            before = time.perf_counter()
            child.act(view)
            took.append(time.perf_counter() - before)
    finally:
        child.close()
    return statistics.median(took) * 1e6
