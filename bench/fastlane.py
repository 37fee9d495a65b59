"""What publishing a frame costs, beside memcpy (the limit) and other ways to move a frame, at the same time.

Blocks of one and the other alternate, so a slow moment of the machine hits both; figures are medians of
blocks. Viewers poll sixty times a second, as a screen does. iceoryx2 is installed from PyPI into a cached
environment; where that is not possible its figures are left out and the reason is printed.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mosaic.fastlane.lane import Lane
from mosaic.fastlane.reader import FrameReader
from mosaic_worker.common import layout
from mosaic_worker.fastlane import Lane as WorkerLane
from mosaic_worker.fastlane import RingFile
from tests.envs import cache_root

SIZES = ((84, 84), (210, 160), (400, 600), (480, 640), (1080, 1920))
ICEORYX = "iceoryx2==0.10.0"
_BLOCK_BYTES = 12_000_000


def _name(height: int, width: int) -> str:
    return f"{height}x{width}"


class Stage:
    """A lane with one ring, and viewers of it."""

    def __init__(self, height: int, width: int) -> None:
        self.folder = tempfile.TemporaryDirectory(dir="/dev/shm", prefix="mosaic-bench-")
        os.environ["MOSAIC_SHM"] = self.folder.name
        self.lane = WorkerLane(os.path.join(self.folder.name, "run"), "p1xbench")
        self.lane.list_row(0, state=layout.SHOWN, env_index=0, group="")
        self.ring: RingFile = self.lane.new_ring(0, pixel_bytes=height * width * 3, epoch=1)
        self.lane.set_epoch(0, 1)
        self.frame = np.random.default_rng(1).integers(0, 256, (height, width, 3), np.uint8)
        self._height, self._width = height, width

    def publish(self) -> None:
        self.ring.writer.publish(
            self.frame, self._width, self._height, 3, episode=3, step=7, reward=1.0, total=7.0, rate=1.0
        )

    @contextmanager
    def readers(self, count: int, *, stopped: bool = False) -> Iterator[list[subprocess.Popen[str]]]:
        command = [sys.executable, "-m", "bench.fastlane", "read", str(self.lane.path)]
        started = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for _ in range(count)
        ]
        try:
            self.publish()
            for process in started:
                assert process.stdout is not None
                process.stdout.readline()
                if stopped:
                    process.send_signal(signal.SIGSTOP)
            yield started
        finally:
            for process in started:
                process.kill()
                process.communicate()

    def close(self) -> None:
        self.ring.close()
        self.lane.close()
        self.folder.cleanup()


def read(path: str) -> None:
    """A viewer: polls sixty times a second, and says a line at its first frame."""
    with Lane(Path(path)) as lane:
        reader = FrameReader(lane, 0)
        said = False
        while True:
            if reader.latest() is not None and not said:
                print("seen", flush=True)
                said = True
            time.sleep(1 / 60)


def _block(call: Callable[[], object], times: int) -> float:
    began = time.perf_counter_ns()
    for _ in range(times):
        call()
    return (time.perf_counter_ns() - began) / times / 1e3


def _side_by_side(calls: dict[str, Callable[[], object]], times: int, *, blocks: int) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        _block(call, times)
    for _ in range(blocks):
        for name, call in calls.items():
            taken[name].append(_block(call, times))
    found = {name: statistics.median(values) for name, values in taken.items()}
    first, second = taken.values()
    found["ratio"] = statistics.median(b / a for a, b in zip(first, second, strict=True))
    return found


def _memcpy(frame: Any, *, count: int = layout.SLOTS) -> Callable[[], object]:
    """The limit: the bare copy, going round as many buffers as a ring has slots."""
    places = [np.empty_like(frame) for _ in range(count)]
    turn = 0

    def copy() -> None:
        nonlocal turn
        turn += 1
        np.copyto(places[turn % count], frame)

    return copy


def _drain(connection: Any) -> None:
    while connection.recv_bytes() != b"end":
        pass


def _drain_queue(queue: Any) -> None:
    while queue.get() is not None:
        pass


def _by_pipe(frame: Any, times: int) -> float:
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_drain, args=(theirs,), daemon=True)
    process.start()
    theirs.close()  # so that a child that cannot start is an error here, not a wait for ever
    data = memoryview(frame).cast("B")
    ours.send_bytes(data)
    taken = [_block(lambda: ours.send_bytes(data), 1) for _ in range(times)]
    ours.send_bytes(b"end")
    process.join()
    ours.close()
    return statistics.median(taken)


def _by_queue(frame: Any, times: int) -> float:
    """The producer's processor time, its feeder thread included: `put` only hands over to it."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue(maxsize=8)
    process = context.Process(target=_drain_queue, args=(queue,), daemon=True)
    process.start()
    queue.put(frame)
    began = time.process_time_ns()
    for _ in range(times):
        queue.put(frame)
    queue.put(None)
    process.join()
    spent = (time.process_time_ns() - began) / times / 1e3
    queue.close()
    queue.join_thread()
    return spent


def _by_iceoryx(sizes: list[int]) -> dict[str, float]:
    folder = cache_root() / ICEORYX.replace("==", "-")
    python = folder / "bin" / "python"
    script = Path(__file__).parent / "scripts" / "iceoryx2_publish.py"
    shared = Path("/dev/shm")
    before = set(shared.glob("iox2_*"))
    try:
        if not (folder / "complete").exists():
            subprocess.run(
                [sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True, timeout=120
            )
            subprocess.run(
                [python, "-m", "pip", "-q", "install", ICEORYX], check=True, capture_output=True, timeout=300
            )
            (folder / "complete").touch()
        command = [str(python), str(script), *map(str, sizes)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
        return dict(json.loads(done.stdout.strip().splitlines()[-1]))
    except (OSError, subprocess.SubprocessError, ValueError, IndexError) as error:
        print(f"iceoryx2 is left out: {error}", file=sys.stderr)
        return {}
    finally:
        for path in set(shared.glob("iox2_*")) - before:  # it leaves a file of its own behind
            path.unlink(missing_ok=True)


def _ages(stage: Stage, *, frames: int) -> list[float]:
    """How old frames are (milliseconds) when a reader that looks every millisecond has them."""
    command = [sys.executable, "-m", "bench.fastlane", "age", str(stage.lane.path), str(frames)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while process.poll() is None:
            stage.publish()
            time.sleep(1 / 60)
        return list(json.loads(process.stdout.read()))


def age(path: str, frames: int) -> None:
    found: list[float] = []
    with Lane(Path(path)) as lane:
        reader = FrameReader(lane, 0)
        while len(found) < frames:
            frame = reader.latest()
            if frame is not None:
                found.append((time.monotonic_ns() - frame.monotonic_nanos) / 1e6)
            time.sleep(0.001)
        reader.close()
    print(json.dumps(found[1:]))


def measure(*, blocks: int = 15, sizes: tuple[tuple[int, int], ...] = SIZES) -> dict[str, float]:
    """Microseconds a frame by size (height x width): ours, memcpy, the others; frame age in milliseconds."""
    found: dict[str, float] = {}
    iceoryx = _by_iceoryx([height * width * 3 for height, width in sizes])
    for height, width in sizes:
        name, size = _name(height, width), height * width * 3
        times = max(3, min(2000, _BLOCK_BYTES // size))
        stage = Stage(height, width)
        try:
            alone = _side_by_side(
                {"memcpy": _memcpy(stage.frame), "publish": stage.publish}, times, blocks=blocks
            )
            found[f"memcpy_us_{name}"], found[f"publish_us_{name}"] = alone["memcpy"], alone["publish"]
            found[f"publish_ratio_{name}"] = alone["ratio"]
            cached = _memcpy(stage.frame, count=1)  # always to the same place: what a cache makes of it
            found[f"memcpy_one_us_{name}"] = statistics.median(_block(cached, times) for _ in range(blocks))
            for count, stopped in ((1, False), (4, False), (1, True)):
                with stage.readers(count, stopped=stopped):
                    with_them = _side_by_side(
                        {"memcpy": _memcpy(stage.frame), "publish": stage.publish}, times, blocks=blocks
                    )
                who = "stopped_reader" if stopped else f"{count}_readers"
                found[f"publish_ratio_{name}_{who}"] = with_them["ratio"]
            if (height, width) == (480, 640):
                ages = _ages(stage, frames=200)
                found["age_millis_median"] = statistics.median(ages)
                found["age_millis_p95"] = sorted(ages)[int(len(ages) * 0.95)]
        finally:
            stage.close()
        few = max(20, min(500, 30_000_000 // size))
        found[f"pipe_us_{name}"] = _by_pipe(stage.frame, few)
        found[f"queue_cpu_us_{name}"] = _by_queue(stage.frame, few)
        if str(size) in iceoryx:
            found[f"iceoryx2_us_{name}"] = iceoryx[str(size)]
            found[f"iceoryx2_one_us_{name}"] = iceoryx[f"{size}_one_place"]
    return found


if __name__ == "__main__":
    if sys.argv[1:2] == ["read"]:
        read(sys.argv[2])
    elif sys.argv[1:2] == ["age"]:
        age(sys.argv[2], int(sys.argv[3]))
    else:
        print(json.dumps(measure(), indent=2))
