"""Records as fast as it can, and after each call that returned says so in a file of its own, until killed.

Usage: acknowledges.py ACK_FILE metrics|steps|threads|tree. The file's lines: `seq PRODUCER N` or `step
EPISODE N`.
"""

from __future__ import annotations

import os
import sys
import threading

from mosaic_worker import current, startup
from mosaic_worker.episodes import Track
from mosaic_worker.recorder import Recorder


def tell(fd: int, text: str) -> None:
    os.write(fd, text.encode())


def metrics(recorder: Recorder, fd: int) -> None:
    number = 0
    while True:
        number += 1
        name = f"m{threading.get_ident():0200d}"  # long, so that segments fill up soon
        seq = recorder.metric(name, number / 7, number)
        tell(fd, f"seq {recorder.producer} {seq}\n")


def steps(recorder: Recorder, fd: int) -> None:
    track = Track(recorder)
    while True:
        track.begin([0.0, 1.5], seed=7)
        for number in range(40):
            track.step(number % 3, [number / 3] * 12, number / 9, number == 39, False)
            tell(fd, f"step {track.episode_id} {number}\n")


def main() -> None:
    path, how = sys.argv[1:]
    startup.begin()
    recorder = current()
    assert recorder is not None
    kept = recorder.note("here I am")
    if how == "tree":
        for _ in range(2):
            if os.fork() == 0:
                path = f"{path}.{os.getpid()}"
                break
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    if how != "tree":
        tell(fd, f"seq {recorder.producer} {kept}\n")
    if how == "threads":
        for _ in range(2):
            threading.Thread(target=metrics, args=(recorder, fd), daemon=True).start()
    (metrics if how in ("metrics", "threads") else steps)(recorder, fd)


if __name__ == "__main__":
    main()
