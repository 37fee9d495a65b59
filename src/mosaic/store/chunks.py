"""Steps as columns, and columns as one compressed blob. Pure: it knows neither files nor SQL.

A chunk holds the steps of one or of several episodes, one after the other, and the `reset` event of each
episode that begins in it. A checksum over the blob makes damage visible instead of plausible.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from mosaic.errors import StoreError
from mosaic.store import planes, values
from mosaic.store.zstd import Zstd

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "CHUNK_STEPS",
    "NO_STEPS",
    "TERMINATED",
    "TRUNCATED",
    "Chunk",
    "Steps",
    "concat",
    "decode",
    "encode",
    "intact",
    "take",
]

CHUNK_STEPS = 1024
"""A chunk is closed at this many steps."""

TERMINATED, TRUNCATED = 1, 2

_FORMAT = 1
_PLAIN, _PRESSED = 0, 1
_SMALL = 192  # below this many steps one frame over everything beats a frame per plane
_MAX_BODY_BYTES = 1 << 30
_zstd, _quick_zstd = Zstd(level=3), Zstd(level=-1)


@dataclass(frozen=True)
class Steps:
    """Columns of steps in the order they were stored. `t` and `reward` are exact, whatever their bits."""

    seq: npt.NDArray[np.int64]
    step: npt.NDArray[np.int64]
    t: npt.NDArray[np.float64]
    reward: npt.NDArray[np.float64]
    flags: npt.NDArray[np.uint8]
    action: values.Values
    obs: values.Values
    agent: values.Values
    turn: values.Values
    extra: values.Values
    rewards: values.Values

    def __len__(self) -> int:
        return len(self.seq)


NO_STEPS = Steps(
    seq=np.empty(0, np.int64),
    step=np.empty(0, np.int64),
    t=np.empty(0),
    reward=np.empty(0),
    flags=np.empty(0, np.uint8),
    action=values.Same(b"null", 0),
    obs=values.Same(b"null", 0),
    agent=values.Same(b"null", 0),
    turn=values.Same(b"null", 0),
    extra=values.Same(b"null", 0),
    rewards=values.Same(b"null", 0),
)
"""No steps at all."""


@dataclass(frozen=True)
class Chunk:
    """A decoded chunk: whose steps, how many each, the steps, and the `reset` events as they were packed."""

    episodes: tuple[int, ...]
    counts: tuple[int, ...]
    steps: Steps
    packed_resets: tuple[list[int], bytes]

    @property
    def resets(self) -> list[bytes]:
        """The `reset` event of each episode; empty: none here."""
        lengths, packed = self.packed_resets
        text = _zstd.decompress(packed, max_output_size=_MAX_BODY_BYTES) if packed else b""
        return _split(text, lengths)

    def part(self, episode: int) -> Steps:
        """The steps of one episode."""
        index = self.episodes.index(episode)
        start = sum(self.counts[:index])
        return take(self.steps, slice(start, start + self.counts[index]))


def take(steps: Steps, index: values.Index) -> Steps:
    """The steps at a slice or an array of indices."""
    return Steps(
        seq=steps.seq[index],
        step=steps.step[index],
        t=steps.t[index],
        reward=steps.reward[index],
        flags=steps.flags[index],
        action=values.take(steps.action, index),
        obs=values.take(steps.obs, index),
        agent=values.take(steps.agent, index),
        turn=values.take(steps.turn, index),
        extra=values.take(steps.extra, index),
        rewards=values.take(steps.rewards, index),
    )


def concat(parts: Sequence[Steps]) -> Steps:
    """Several runs of steps as one."""
    if len(parts) == 1:
        return parts[0]
    return Steps(
        seq=np.concatenate([p.seq for p in parts]),
        step=np.concatenate([p.step for p in parts]),
        t=np.concatenate([p.t for p in parts]),
        reward=np.concatenate([p.reward for p in parts]),
        flags=np.concatenate([p.flags for p in parts]),
        action=values.join([p.action for p in parts]),
        obs=values.join([p.obs for p in parts]),
        agent=values.join([p.agent for p in parts]),
        turn=values.join([p.turn for p in parts]),
        extra=values.join([p.extra for p in parts]),
        rewards=values.join([p.rewards for p in parts]),
    )


def encode(
    episodes: Sequence[int],
    counts_: Sequence[int],
    steps: Steps,
    resets: Sequence[bytes],
    *,
    quick: bool = False,
) -> bytes:
    """One blob for the given episodes, how many of the steps each has, and their `reset` events.

    `quick`: in a third of the time and twice the bytes, for what the next commits write anew.
    """
    counts = np.array(counts_, np.int64)
    if not counts.all() or counts.sum() != len(steps):
        raise ValueError(f"{len(steps)} steps cannot be {counts_} per episode, at least one each")
    ends = np.cumsum(counts) - 1
    starts = ends - counts + 1
    zstd = _quick_zstd if quick else _zstd
    inner = np.ones(len(steps), bool)
    inner[ends] = False
    body = [
        len(steps),
        len(counts),
        planes.pack_ints(_deltas(np.array(episodes, np.int64)), quick=quick),
        planes.pack_ints(counts, quick=quick),
        *_pack_run(steps.seq, starts, quick=quick),
        *_pack_run(steps.step, starts, quick=quick),
        *_pack_run(steps.t.view(np.int64), starts, quick=quick),
        planes.pack_matrix(_rows(steps.reward), dtype="<f8", ends=ends, quick=quick),
        planes.pack_ints(steps.flags[ends].astype(np.int64), quick=quick),
        planes.pack_ints(steps.flags[inner].astype(np.int64), quick=quick),
        *[
            _pack_values(column, ends, quick=quick)
            for column in (steps.action, steps.obs, steps.agent, steps.turn, steps.extra)
        ],
        [len(reset) for reset in resets],
        zstd.compress(b"".join(resets)) if any(resets) else b"",
    ]
    if not (isinstance(steps.rewards, values.Same) and steps.rewards.text == b"null"):
        # At the end: who does not know it reads the rest.
        body.append(_pack_values(steps.rewards, ends, quick=quick))
    packed = msgspec.msgpack.encode(body)
    form = _PLAIN
    if quick or len(steps) < _SMALL:
        pressed = zstd.compress(packed)
        if len(pressed) < len(packed):
            form, packed = _PRESSED, pressed
    head = bytes([_FORMAT, form])
    return head + zlib.crc32(packed, zlib.crc32(head)).to_bytes(4, "little") + packed


def intact(blob: bytes) -> bool:
    """Whether a blob still is what `encode` made."""
    return len(blob) > 6 and zlib.crc32(memoryview(blob)[6:], zlib.crc32(blob[:2])) == int.from_bytes(
        blob[2:6], "little"
    )


def decode(blob: bytes) -> Chunk:
    """The chunk behind a blob.

    Raises:
        StoreError: the blob is damaged or of a later format.
    """
    if not intact(blob):
        raise StoreError(f"a chunk of {len(blob)} bytes is damaged. Rebuild the store: mosaic rebuild RUN")
    if blob[0] != _FORMAT:
        raise StoreError(f"a chunk has format {blob[0]}, this version reads {_FORMAT}. Update MOSAIC.")
    body = blob[6:]
    if blob[1] == _PRESSED:
        body = _zstd.decompress(body, max_output_size=_MAX_BODY_BYTES)
    fields = msgspec.msgpack.decode(body)
    count, many = fields[0], fields[1]
    episodes = np.cumsum(planes.unpack_ints(fields[2], many))
    counts = planes.unpack_ints(fields[3], many)
    ends = np.cumsum(counts) - 1
    starts = ends - counts + 1
    flags = np.zeros(count, np.uint8)
    inner = np.ones(count, bool)
    inner[ends] = False
    flags[ends] = planes.unpack_ints(fields[11], many)
    flags[inner] = planes.unpack_ints(fields[12], count - many)
    reward = planes.unpack_matrix(fields[10], count=count, row_bytes=8, ends=ends)
    columns = [_unpack_values(field, count, ends) for field in (*fields[13:18], *fields[20:21])]
    steps = Steps(
        seq=_unpack_run(fields[4], fields[5], starts, counts),
        step=_unpack_run(fields[6], fields[7], starts, counts),
        t=_unpack_run(fields[8], fields[9], starts, counts).view(np.float64),
        reward=reward.view("<f8").reshape(count),
        flags=flags,
        action=columns[0],
        obs=columns[1],
        agent=columns[2],
        turn=columns[3],
        extra=columns[4],
        rewards=columns[5] if len(columns) > 5 else values.Same(b"null", count),
    )
    return Chunk(tuple(episodes.tolist()), tuple(counts.tolist()), steps, (fields[18], fields[19]))


def _rows(column: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    return np.ascontiguousarray(column).view(np.uint8).reshape(len(column), 8)


def _pack_run(
    column: npt.NDArray[np.int64], starts: npt.NDArray[np.int64], *, quick: bool
) -> tuple[list[Any], bytes]:
    """Differences along each episode, and the first values by themselves (wrapping, so any bits do)."""
    deltas = _deltas(column)
    deltas[starts] = deltas[starts[0] + 1] if len(column) > 1 else 0  # any value does; a likely one is cheap
    firsts = _deltas(column[starts])
    return [int(firsts[0]), planes.pack_ints(firsts[1:], quick=quick)], planes.pack_ints(deltas, quick=quick)


def _unpack_run(
    firsts: list[Any], deltas: bytes, starts: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    total = np.cumsum(planes.unpack_ints(deltas, int(counts.sum())))
    base = np.empty(len(starts), np.int64)
    base[0] = firsts[0]
    base[1:] = planes.unpack_ints(firsts[1], len(starts) - 1)
    return total + np.repeat(np.cumsum(base) - total[starts], counts)


def _deltas(column: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    deltas: npt.NDArray[np.int64] = column.copy()
    deltas[1:] -= column[:-1]  # wrapping, so any bits do
    return deltas


def _pack_values(column: values.Values, ends: npt.NDArray[np.int64], *, quick: bool) -> list[Any]:
    if isinstance(column, values.Same):
        return [0, column.text]
    if isinstance(column, values.Ints):
        return [1, planes.pack_ints(column.data, quick=quick)]
    if isinstance(column, values.Checksums):
        return [2, column.before, column.after, planes.pack_ints(column.data, quick=quick)]
    if isinstance(column, values.Arrays):
        packed = planes.pack_matrix(column.data, dtype=column.dtype, ends=ends, quick=quick)
        return [3, column.before, column.dtype, column.data.shape[1], packed]
    lengths = np.array([len(text) for text in column.data], np.int64)
    return [
        4,
        planes.pack_ints(lengths, quick=quick),
        int(lengths.sum()),
        _zstd.compress(b"".join(column.data)),
    ]


def _unpack_values(field: list[Any], count: int, ends: npt.NDArray[np.int64]) -> values.Values:
    kind = field[0]
    if kind == 0:
        return values.Same(field[1], count)
    if kind == 1:
        return values.Ints(planes.unpack_ints(field[1], count))
    if kind == 2:
        return values.Checksums(field[1], field[2], planes.unpack_ints(field[3], count))
    if kind == 3:
        rows = planes.unpack_matrix(field[4], count=count, row_bytes=field[3], ends=ends)
        return values.Arrays(field[1], field[2], rows)
    lengths = planes.unpack_ints(field[1], count).tolist()
    text = _zstd.decompress(field[3], max_output_size=max(1, field[2]))
    return values.Texts(_split(text, lengths))


def _split(text: bytes, lengths: Sequence[int]) -> list[bytes]:
    parts, at = [], 0
    for length in lengths:
        parts.append(text[at : at + length])
        at += length
    return parts
