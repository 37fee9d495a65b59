"""What recording one step costs in the worker, in microseconds, beside an empty loop and what others do.

Each row is the median over many short rounds, rows taking turns, so that a busy machine disturbs all alike.
The environment's own step is almost nothing, so a row minus the empty loop is the price of recording.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mosaic_worker.hooks.envs import EnvHooks
from mosaic_worker.journal import NO_ROOM
from mosaic_worker.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS, ROUNDS = 2000, 60
EMPTY, RECORDED, FALLBACK = "empty loop", "recorded step", "recorded step, no msgspec or numpy"
MAPPED, WRITTEN = "append: mapped segment", "append: one write(2), locked"
PLAIN, TENSORBOARD = "plain json line + flush", "TensorBoard add_scalar"


class FakeEnv:
    """CartPole's shape without its physics."""

    spec = None
    metadata: dict[str, Any] = {}  # noqa: RUF012  (as environments have it)

    def __init__(self, *, numpy_obs: bool = True) -> None:
        self.obs: Any = np.linspace(-1, 1, 4, dtype=np.float32) if numpy_obs else [0.25, -0.5, 1.0, -1.0]
        self.result: Any = self.obs, 1.0, False, False, {}
        self.unwrapped = self

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return self.obs, {}

    def step(self, action: int) -> Any:
        return self.result


def _stepping(env: Any) -> Callable[[], None]:
    def run() -> None:
        step = env.step
        for _ in range(STEPS):
            step(1)

    return run


def _recorded(folder: Path) -> tuple[Callable[[], None], Callable[[], None]]:
    class Recorded(FakeEnv):
        def step(self, action: int) -> Any:
            return self.result

    recorder = Recorder(str(folder))
    env = Recorded()
    EnvHooks(recorder, "gymnasium").adopt(env)
    env.reset(seed=1)
    return _stepping(env), recorder.close


LINE = (
    b'{"type":"step","episode_id":"p12345x89abcdef.e0.17","step":42,"action":1,"reward":1.0,"obs":{"nd":"<f4",'
    b'"shape":[4],"b64":"AACAv6uqqr6rqqo+AACAPw=="},"t":1794782294496276e-6'
)


def _mapped(folder: Path) -> tuple[Callable[[], None], Callable[[], None]]:
    recorder = Recorder(str(folder))
    channel = recorder.channel()

    channel.append(LINE)
    push = channel.push

    def run() -> None:
        for _ in range(STEPS):
            push(LINE)
            try:
                next(channel.it)
            except NO_ROOM:
                channel.again(LINE)

    return run, recorder.close


def _written(folder: Path) -> tuple[Callable[[], None], Callable[[], None]]:
    fd = os.open(folder / "lines", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    lock = threading.Lock()

    def run() -> None:
        for number in range(STEPS):
            with lock:  # write(2) lets other threads run between numbering and writing
                os.write(fd, LINE + b',"seq":%d}\n' % number)

    return run, lambda: os.close(fd)


def _plain(folder: Path) -> tuple[Callable[[], None], Callable[[], None]]:
    file = (folder / "plain.jsonl").open("w")
    obs = FakeEnv().obs

    def run() -> None:
        for number in range(STEPS):
            line = {
                "type": "step", "episode_id": "p12345x89abcdef.e0.17", "step": number, "action": 1,
                "reward": 1.0, "obs": obs.tolist(), "t": time.time(),
            }  # fmt: skip
            file.write(json.dumps(line) + "\n")
            file.flush()

    return run, file.close


def _tensorboard(folder: Path) -> tuple[Callable[[], None], Callable[[], None]] | None:
    try:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.summary.writer.event_file_writer import EventFileWriter
    except ImportError:
        return None
    writer = EventFileWriter(str(folder / "tb"))

    def run() -> None:
        for number in range(STEPS // 20):  # it is that slow
            summary = Summary(value=[Summary.Value(tag="reward", simple_value=1.0)])
            writer.add_event(Event(wall_time=time.time(), step=number, summary=summary))

    return run, writer.close


def _fallback_micros(folder: Path) -> float:
    """The same recorded step in an interpreter that has neither numpy nor msgspec."""
    code = (
        "import sys, time, statistics\n"
        "sys.modules['numpy'] = sys.modules['msgspec'] = None\n"
        "from mosaic_worker.recorder import Recorder\n"
        "from mosaic_worker.hooks.envs import EnvHooks\n"
        "class Env:\n"
        "    spec = None\n"
        "    result = [0.25, -0.5, 1.0, -1.0], 1.0, False, False, {}\n"
        "    unwrapped = property(lambda self: self)\n"
        "    def reset(self, *, seed=None, options=None): return self.result[0], {}\n"
        "    def step(self, action): return self.result\n"
        f"recorder = Recorder({str(folder)!r})\n"
        "env = Env(); EnvHooks(recorder, 'gymnasium').adopt(env); env.reset(seed=1)\n"
        "taken = []\n"
        f"for _ in range({ROUNDS // 2}):\n"
        "    began = time.perf_counter()\n"
        f"    for _ in range({STEPS}): env.step(1)\n"
        f"    taken.append((time.perf_counter() - began) / {STEPS} * 1e6)\n"
        "recorder.close()\n"
        "print(statistics.median(taken))\n"
    )
    path = str(Path(__file__).parents[1] / "src")
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True)
    return float(done.stdout)


def measure() -> dict[str, float]:
    """Microseconds a step, by row."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        rows: dict[str, tuple[Callable[[], None], Callable[[], None]]] = {
            EMPTY: (_stepping(FakeEnv()), lambda: None)
        }
        for name, make in ((RECORDED, _recorded), (MAPPED, _mapped), (WRITTEN, _written), (PLAIN, _plain)):
            folder = root / name.replace(" ", "-").replace("/", "-")
            folder.mkdir()
            rows[name] = make(folder)
        tensorboard = _tensorboard(root)
        if tensorboard is not None:
            rows[TENSORBOARD] = tensorboard
        taken: dict[str, list[float]] = {name: [] for name in rows}
        for number in range(ROUNDS + 1):
            for name, (run, _) in rows.items():
                began = time.perf_counter()
                run()
                steps = STEPS // 20 if name == TENSORBOARD else STEPS
                if number:  # the first round warms up
                    taken[name].append((time.perf_counter() - began) / steps * 1e6)
        for _, close in rows.values():
            close()
        found = {name: statistics.median(times) for name, times in taken.items()}
        found[FALLBACK] = _fallback_micros(root / "fallback")
        return found


def main() -> None:
    """Print the table."""
    found = measure()
    empty = found[EMPTY]
    print(f"{'':36}{'µs a step':>10}{'above the empty loop':>24}")
    for name, micros in found.items():
        print(f"{name:36}{micros:10.2f}{micros - empty:24.2f}")


if __name__ == "__main__":
    main()
