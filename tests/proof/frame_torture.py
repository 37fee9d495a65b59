"""Programs of the frame proof: `write` publishes at full speed with resizes, `read` checks every frame whole.

    python -m tests.proof.frame_torture write RUN SEED
    python -m tests.proof.frame_torture read RUN COUNTER

A reader counts checked frames in a mapped word, so its count survives its own death; when a frame is
wrong it says what it saw and exits with 3.
"""

from __future__ import annotations

import mmap
import os
import random
import struct
import sys
from pathlib import Path

from mosaic.errors import ProtocolError
from mosaic.fastlane import segment
from mosaic.fastlane.lane import Lane
from mosaic.fastlane.reader import FrameReader
from mosaic.paths import RunFolder
from mosaic_worker.common import layout
from mosaic_worker.fastlane import Lane as WorkerLane
from tests.fastlane import patterns

SIZES = (192, 192, 768, 768, 3072, 12_000, 300_000)
WRONG = 3


def size_of(epoch: int) -> int:
    """The size a ring of that epoch has: known to both sides."""
    return SIZES[epoch % len(SIZES)]


def write(run: str, seed: int) -> None:
    """Publish for as long as our parent lives; every ring for a random while, then one of another size."""
    dice = random.Random(seed)
    lane = WorkerLane(run, f"p{os.getpid()}x{seed:08x}")
    lane.list_row(0, state=layout.SHOWN, env_index=0, group="")
    epoch = 0
    ring = None
    parent = os.getppid()
    while os.getppid() == parent:
        epoch += 1
        size = size_of(epoch)
        new = lane.new_ring(0, pixel_bytes=size, epoch=epoch)
        lane.set_epoch(0, epoch)
        if ring is not None:
            ring.close()
        ring = new
        for _ in range(dice.randrange(1, 50_000 if size < 10_000 else 200)):
            patterns.publish(ring.writer, epoch, pixel_bytes=size)


def read(run: str, counter: str) -> None:
    """Check for as long as our parent lives. Attaches anew now and then, as viewers do."""
    fd = os.open(counter, os.O_RDWR)
    checked = memoryview(mmap.mmap(fd, 16)).cast("Q")
    dice = random.Random(os.getpid())
    parent = os.getppid()
    while os.getppid() == parent:
        for path in segment.lanes_of(RunFolder(Path(run))):
            try:
                lane = Lane(path)
            except (FileNotFoundError, ProtocolError):
                continue
            with lane:
                reader = FrameReader(lane, 0)
                try:
                    _follow(lane, reader, checked, dice.randrange(1, 50_000))
                finally:
                    reader.close()
                if reader.refused:
                    sys.stderr.write(f"WRONG: {reader.refused} rings of a writer were refused\n")
                    sys.exit(WRONG)


def _follow(lane: Lane, reader: FrameReader, checked: memoryview, polls: int) -> None:
    before = (0, 0)
    for poll in range(polls):
        if poll % 5000 == 4999 and not lane.alive:
            return
        frame = reader.latest(again=True)
        if frame is None:
            continue
        said = patterns.wrong_frame(frame, size_of(frame.epoch))
        if said:
            sys.stderr.write(f"WRONG: epoch {frame.epoch} {said}\n")
            sys.exit(WRONG)
        checked[0] += 1
        if (frame.epoch, frame.frame_id) != before:
            before = frame.epoch, frame.frame_id
            checked[1] += 1


def counts(path: Path) -> tuple[int, int]:
    """Reads a reader checked, and how many of them gave a frame it had not seen just before."""
    done, new = struct.unpack("<QQ", path.read_bytes())
    return done, new


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], int(sys.argv[3]))
    else:
        read(sys.argv[2], sys.argv[3])
