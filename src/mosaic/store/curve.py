"""The return curve as packed blocks: what a chart of a whole run reads instead of rows. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt

from mosaic.store import planes

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["BLOCK", "TAIL", "Point", "ReturnCurve", "decode", "encode", "join", "points_of"]

BLOCK = 8192
"""Points in a full block."""
TAIL = 256
"""The newest points are rewritten with every commit; at this many they join a block."""

Point = tuple[int, float, float, int, int]
"""Index, end time, return, steps and mark (`protocol.counting`) of an ended episode."""


@dataclass(frozen=True)
class ReturnCurve:
    """Ended episodes by index. `t_end` is when each ended, 0 when its writer gave no times.

    `mark` says how it ended and what it was for (`protocol.counting`); version 0.1 did not keep that here,
    so there it is 0: unknown.
    """

    index: npt.NDArray[np.int64]
    t_end: npt.NDArray[np.float64]
    return_: npt.NDArray[np.float64]
    steps: npt.NDArray[np.int64]
    mark: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.index)


def encode(points: Sequence[Point], *, quick: bool = False) -> bytes:
    """One block; `quick` for one that the next commits write anew: just the points."""
    if quick:
        return msgspec.msgpack.encode([0, points])
    index, t_end, return_, steps, mark = zip(*points, strict=True)
    returns = np.array(return_, np.float64)
    ends = np.array([len(points) - 1])
    return msgspec.msgpack.encode(
        [
            len(points),
            *_pack_run(np.array(index, np.int64)),
            *_pack_run(np.array(t_end, np.float64).view(np.int64)),
            planes.pack_matrix(returns.view(np.uint8).reshape(-1, 8), dtype="<f8", ends=ends),
            planes.pack_ints(np.array(steps, np.int64)),
            planes.pack_ints(np.array(mark, np.int64)),
        ]
    )


def decode(data: bytes) -> ReturnCurve:
    """The block `encode` made."""
    count, *packed = msgspec.msgpack.decode(data)
    if count == 0:
        return _of_points(packed[0])
    index0, index, t_end0, t_end, return_, steps, *later = packed
    rows = planes.unpack_matrix(return_, count=count, row_bytes=8, ends=np.array([count - 1]))
    return ReturnCurve(
        index=_unpack_run(index0, index, count),
        t_end=_unpack_run(t_end0, t_end, count).view(np.float64),
        return_=rows.view("<f8").reshape(count),
        steps=planes.unpack_ints(steps, count),
        mark=planes.unpack_ints(later[0], count) if later else np.zeros(count, np.int64),
    )


def points_of(block: ReturnCurve) -> list[Point]:
    """A block's points one by one."""
    columns = (block.index, block.t_end, block.return_, block.steps, block.mark)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def join(blocks: Sequence[ReturnCurve]) -> ReturnCurve:
    """All blocks as one curve, by index; of two points of one episode the later holds."""
    if not blocks:
        none = np.empty(0, np.int64)
        return ReturnCurve(none, none.astype(np.float64), none.astype(np.float64), none, none)
    index = np.concatenate([block.index for block in blocks])
    last = np.full(int(index.max()) + 1, -1)
    last[index] = np.arange(len(index))
    chosen = last[last >= 0]
    return ReturnCurve(
        index=index[chosen],
        t_end=np.concatenate([block.t_end for block in blocks])[chosen],
        return_=np.concatenate([block.return_ for block in blocks])[chosen],
        steps=np.concatenate([block.steps for block in blocks])[chosen],
        mark=np.concatenate([block.mark for block in blocks])[chosen],
    )


def _of_points(points: Sequence[Point]) -> ReturnCurve:
    index, t_end, return_, steps, mark = zip(*points, strict=True)
    return ReturnCurve(
        index=np.array(index, np.int64),
        t_end=np.array(t_end, np.float64),
        return_=np.array(return_, np.float64),
        steps=np.array(steps, np.int64),
        mark=np.array(mark, np.int64),
    )


def _pack_run(column: npt.NDArray[np.int64]) -> tuple[int, bytes]:
    """The first value, and how each differs from the one before (wrapping, so any bits do)."""
    return int(column[0]), planes.pack_ints(column[1:] - column[:-1])


def _unpack_run(first: int, deltas: bytes, count: int) -> npt.NDArray[np.int64]:
    column = np.empty(count, np.int64)
    column[0] = first
    column[1:] = planes.unpack_ints(deltas, count - 1)
    return np.cumsum(column)
