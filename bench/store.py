"""What the store costs and gives: journal to store, bytes a step, one episode, the return curve, a rebuild.

The journal is a real one: CartPole under the recorder, by a random and by a balancing policy. It is recorded
for a few thousand steps and then repeated under new numbers, ids and times until it is long enough. The limit
beside the throughput is decoding the same lines and nothing else, in the same run.
"""

from __future__ import annotations

import gc
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mosaic import worker_site
from mosaic.paths import DataRoot, RunFolder
from mosaic.protocol import codec
from mosaic.store.ingest import RunIngest
from mosaic.store.reader import StoreReader
from mosaic.store.rebuild import rebuild

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["measure"]

SEGMENT_BYTES = 8 << 20
_RECORDED_STEPS = 20_000
_NUMBERS = re.compile(rb'("episode_id":"[^"]*\.)(\d+)"|("(?:t|t_start|t_end)":)(\d+)(e-6)|("seq":)(\d+)')

POLICY = """
import sys
import gymnasium
import numpy as np
policy, steps = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(1)
env = gymnasium.make("CartPole-v1")
obs, _ = env.reset(seed=1)
for _ in range(steps):
    balanced = int(3 * obs[2] + obs[3] > 0)
    action = balanced if policy == "balancing" and rng.random() > 0.15 else int(rng.integers(2))
    obs, _, terminated, truncated, _ = env.step(action)
    if terminated or truncated:
        obs, _ = env.reset()
env.close()
"""


def measure(*, steps: int = 1_000_000) -> dict[str, float]:
    """All figures of the store; `steps` is how long the runs are made."""
    found: dict[str, float] = {}
    before = gc.get_threshold()
    gc.set_threshold(50_000)  # as the ingest process has it
    with tempfile.TemporaryDirectory(prefix="mosaic-bench-") as parent:
        for policy in ("balancing", "random"):
            folder = _journal(Path(parent), policy, steps)
            found |= {f"{policy}_{name}": value for name, value in _measure_run(folder).items()}
    gc.set_threshold(*before)
    return found


def _measure_run(folder: RunFolder) -> dict[str, float]:
    found: dict[str, float] = {}
    journal = sorted(folder.journal.glob("*.jsonl"))
    blocks = [path.read_bytes() for path in journal[:4]]
    begun = time.process_time()
    decoded = sum(len(codec.decode_lines(block)) for block in blocks)
    found["decode_events_per_sec"] = decoded / (time.process_time() - begun)

    begun, begun_wall = time.process_time(), time.perf_counter()
    with RunIngest(folder, seal=False) as ingest:
        while not ingest.settle():
            pass
        summary = ingest.summary()
    found["ingest_events_per_sec"] = summary.store_seq / (time.process_time() - begun)
    found["ingest_events_per_wall_sec"] = summary.store_seq / (time.perf_counter() - begun_wall)
    found["bytes_per_step"] = folder.store.stat().st_size / summary.steps
    found["journal_bytes_per_step"] = sum(path.stat().st_size for path in journal) / summary.steps

    with StoreReader(folder, cached_chunks=0) as reader:
        chosen = random.Random(1)
        found["episode_columns_micros"] = (
            _median(lambda: reader.columns(chosen.randrange(summary.episodes))) * 1e6
        )
        found["episode_rows_micros"] = _median(lambda: reader.steps(chosen.randrange(summary.episodes))) * 1e6
        found["return_curve_millis"] = _median(reader.returns, rounds=20) * 1e3
        found["episodes"] = float(len(reader.returns()))

    with RunIngest(folder) as ingest:
        while not ingest.settle():
            pass
    found["sealed_bytes_per_step"] = (
        sum(path.stat().st_size for path in folder.journal.glob("*.zst")) / summary.steps
    )
    begun = time.process_time()
    rebuild(folder)
    found["rebuild_events_per_sec"] = summary.store_seq / (time.process_time() - begun)
    return found


def _median(work: Callable[[], object], *, rounds: int = 200) -> float:
    """Seconds of the processor: others on the machine are no part of it."""
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return statistics.median(times)


def _journal(parent: Path, policy: str, steps: int) -> RunFolder:
    """A run of at least so many steps, recorded for a while and then repeated."""
    recorded = _record(parent / f"{policy}-recorded", policy, min(steps, _RECORDED_STEPS))
    hello, *lines = recorded.splitlines(keepends=True)
    last = max(place for place, line in enumerate(lines) if line.startswith(b'{"type":"episode"'))
    lines = lines[: last + 1]
    folder = RunFolder(parent / policy)
    folder.journal.mkdir(parents=True, mode=0o700)
    episodes = sum(line.startswith(b'{"type":"episode"') for line in lines)
    counted = sum(line.startswith(b'{"type":"step"') for line in lines)
    block, number = hello, 0
    for turn in range(max(1, steps // counted)):
        block += _shifted(b"".join(lines), episodes * turn, len(lines) * turn, turn * 1_000_000)
        while len(block) >= SEGMENT_BYTES or turn == max(1, steps // counted) - 1:
            end = block.rfind(b"\n", 0, SEGMENT_BYTES) + 1
            (folder.journal / f"p1x00000000-{number:04d}.jsonl").write_bytes(block[:end])
            block, number = block[end:], number + 1
            if not block:
                break
    folder.exit.write_text("{}")
    return folder


def _shifted(lines: bytes, episodes: int, seqs: int, micros: int) -> bytes:
    def shift(match: re.Match[bytes]) -> bytes:
        if match[2]:
            return b'%b%d"' % (match[1], int(match[2]) + episodes)
        if match[4]:
            return b"%b%d%b" % (match[3], int(match[4]) + micros, match[5])
        return b"%b%d" % (match[6], int(match[7]) + seqs)

    return _NUMBERS.sub(shift, lines)


def _record(home: Path, policy: str, steps: int) -> bytes:
    """The journal of a real CartPole run, as the recorder writes it."""
    home.mkdir(mode=0o700)
    folder = RunFolder(home / "run")
    folder.journal.mkdir(parents=True, mode=0o700)
    site = worker_site.install(DataRoot(home))
    environment = {
        **os.environ,
        "MOSAIC_RUN_DIR": str(folder.path),
        "MOSAIC_RUN_ID": "run",
        "PYTHONPATH": str(site),
    }
    environment["MOSAIC_RECORD"] = '{"segment_mib": 64}'
    subprocess.run([sys.executable, "-c", POLICY, policy, str(steps)], env=environment, check=True)
    return b"".join(path.read_bytes().rstrip(b"\0") for path in sorted(folder.journal.glob("*.jsonl")))


if __name__ == "__main__":
    for name, value in measure(steps=int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000).items():
        print(f"{name:40} {value:,.2f}")
