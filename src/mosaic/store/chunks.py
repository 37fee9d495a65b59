"""Steps as columns, and columns as one compressed blob. Pure: it knows neither files nor SQL.

A chunk holds the steps of one or of several episodes, one after the other, and the `reset` event of each
episode that begins in it. A checksum over the blob makes damage visible instead of plausible. There are two
forms: a tight one for good, and a quick one for what the next commits write anew, in few and plain moves.
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

_TIGHT, _QUICK = 1, 2
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
    packed_resets: list[bytes] | tuple[list[int], bytes]

    @property
    def resets(self) -> list[bytes]:
        """The `reset` event of each episode; empty: none here."""
        if isinstance(self.packed_resets, list):
            return self.packed_resets
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

    `quick`: in a fifth of the time and with a fifth more bytes, for what the next commits write anew.
    """
    if len(steps) != sum(counts_) or not all(counts_):
        raise ValueError(f"{len(steps)} steps cannot be {counts_} per episode, at least one each")
    if quick:
        packed = _quick_zstd.compress(msgspec.msgpack.encode(_quick_body(episodes, counts_, steps, resets)))
        head = bytes([_QUICK, _PRESSED])
    else:
        packed = msgspec.msgpack.encode(_tight_body(episodes, counts_, steps, resets))
        form = _PLAIN
        if len(steps) < _SMALL:
            pressed = _zstd.compress(packed)
            if len(pressed) < len(packed):
                form, packed = _PRESSED, pressed
        head = bytes([_TIGHT, form])
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
    if blob[0] not in (_TIGHT, _QUICK):
        raise StoreError(
            f"a chunk has format {blob[0]}, this version reads {_TIGHT} and {_QUICK}. Update MOSAIC."
        )
    body = blob[6:]
    if blob[1] == _PRESSED:
        body = _zstd.decompress(body, max_output_size=_MAX_BODY_BYTES)
    fields = msgspec.msgpack.decode(body)
    return _from_quick(fields) if blob[0] == _QUICK else _from_tight(fields)


# -- the tight form ------------------------------------------------------------------------------------------


def _tight_body(
    episodes: Sequence[int], counts_: Sequence[int], steps: Steps, resets: Sequence[bytes]
) -> list[Any]:
    counts = np.array(counts_, np.int64)
    ends = np.cumsum(counts) - 1
    starts = ends - counts + 1
    inner = np.ones(len(steps), bool)
    inner[ends] = False
    body = [
        len(steps),
        len(counts),
        planes.pack_ints(_deltas(np.array(episodes, np.int64))),
        planes.pack_ints(counts),
        *_pack_run(steps.seq, starts),
        *_pack_run(steps.step, starts),
        *_pack_run(steps.t.view(np.int64), starts),
        planes.pack_matrix(_rows(steps.reward), dtype="<f8", ends=ends),
        planes.pack_ints(steps.flags[ends].astype(np.int64)),
        planes.pack_ints(steps.flags[inner].astype(np.int64)),
        *[
            _pack_values(column, ends)
            for column in (steps.action, steps.obs, steps.agent, steps.turn, steps.extra)
        ],
        [len(reset) for reset in resets],
        _zstd.compress(b"".join(resets)) if any(resets) else b"",
    ]
    if not (isinstance(steps.rewards, values.Same) and steps.rewards.text == b"null"):
        # At the end: who does not know it reads the rest.
        body.append(_pack_values(steps.rewards, ends))
    return body


def _from_tight(fields: list[Any]) -> Chunk:
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


def _pack_run(column: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]) -> tuple[list[Any], bytes]:
    """Differences along each episode, and the first values by themselves (wrapping, so any bits do)."""
    deltas = _deltas(column)
    deltas[starts] = deltas[starts[0] + 1] if len(column) > 1 else 0  # any value does; a likely one is cheap
    firsts = _deltas(column[starts])
    return [int(firsts[0]), planes.pack_ints(firsts[1:])], planes.pack_ints(deltas)


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


def _pack_values(column: values.Values, ends: npt.NDArray[np.int64]) -> list[Any]:
    if isinstance(column, values.Same):
        return [0, column.text]
    if isinstance(column, values.Ints):
        return [1, planes.pack_ints(column.data)]
    if isinstance(column, values.Checksums):
        return [2, column.before, column.after, planes.pack_ints(column.data)]
    if isinstance(column, values.Arrays):
        packed = planes.pack_matrix(column.data, dtype=column.dtype, ends=ends)
        return [3, column.before, column.dtype, column.data.shape[1], packed]
    lengths = np.array([len(text) for text in column.data], np.int64)
    return [4, planes.pack_ints(lengths), int(lengths.sum()), _zstd.compress(b"".join(column.data))]


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


# -- the quick form ------------------------------------------------------------------------------------------


def _quick_body(
    episodes: Sequence[int], counts: Sequence[int], steps: Steps, resets: Sequence[bytes]
) -> list[Any]:
    """Every number column is a row of one matrix: one difference and one turn into planes for all of them."""
    columns = (steps.action, steps.obs, steps.agent, steps.turn, steps.extra, steps.rewards)
    numbers = [steps.seq, steps.step, steps.t.view(np.int64), steps.reward.view(np.int64)]
    numbers += [one.data for one in columns if isinstance(one, (values.Ints, values.Checksums))]
    matrix = np.array(numbers)
    matrix[:, 1:] -= matrix[:, :-1].copy()  # wrapping, so any bits do
    turned = matrix.view(np.uint8).reshape(len(numbers), len(steps), 8).transpose(0, 2, 1)
    forms = [_quick_form(column) for column in columns]
    return [list(episodes), list(counts), turned.tobytes(), steps.flags.tobytes(), forms, list(resets)]


def _quick_form(column: values.Values) -> list[Any]:
    """A column of values; of numbers only that they are in the matrix."""
    if isinstance(column, values.Same):
        return [0, column.text]
    if isinstance(column, values.Ints):
        return [1]
    if isinstance(column, values.Checksums):
        return [2, column.before, column.after]
    if isinstance(column, values.Arrays):
        return [3, column.before, column.dtype, column.data.T.tobytes()]
    return [4, list(column.data)]


def _from_quick(fields: list[Any]) -> Chunk:
    episodes, counts, turned, flags, forms, resets = fields
    count = len(flags)
    planes_ = np.frombuffer(turned, np.uint8).reshape(-1, 8, count).transpose(0, 2, 1)
    matrix = np.ascontiguousarray(planes_).view(np.int64).reshape(-1, count).cumsum(axis=1)
    more = iter(matrix[4:])
    columns: list[values.Values] = []
    for kind, *rest in forms:
        if kind == 0:
            columns.append(values.Same(rest[0], count))
        elif kind == 1:
            columns.append(values.Ints(next(more)))
        elif kind == 2:
            columns.append(values.Checksums(rest[0], rest[1], next(more)))
        elif kind == 3:
            data = np.frombuffer(rest[2], np.uint8).reshape(-1, count).T
            columns.append(values.Arrays(rest[0], rest[1], np.ascontiguousarray(data)))
        else:
            columns.append(values.Texts(rest[0]))
    steps = Steps(
        seq=matrix[0],
        step=matrix[1],
        t=matrix[2].view(np.float64),
        reward=matrix[3].view(np.float64),
        flags=np.frombuffer(flags, np.uint8),
        action=columns[0],
        obs=columns[1],
        agent=columns[2],
        turn=columns[3],
        extra=columns[4],
        rewards=columns[5],
    )
    return Chunk(tuple(episodes), tuple(counts), steps, resets)
