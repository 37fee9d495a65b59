"""A run's metrics as a TensorBoard event file, written byte by byte: neither TensorBoard nor torch is needed.

An event file is a row of records: length, its checksum, a protobuf `Event`, its checksum. TensorBoard keeps
scalars as float32; that is the one place where an export rounds.
"""

from __future__ import annotations

import math
import struct
from collections import defaultdict
from typing import TYPE_CHECKING

from mosaic.errors import UsageError
from mosaic.protocol.counting import counts, is_evaluation, mark_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mosaic.protocol.rows import EpisodeRow
    from mosaic.store.reader import StoreReader

__all__ = ["masked_crc32c", "scalar_event", "write_tensorboard"]


_PAGE = 4096
_INT64 = 1 << 63


def write_tensorboard(reader: StoreReader, folder: Path) -> Path:
    """Write all metrics, and the episodes' returns and lengths, as one event file in a folder.

    Episodes are those that were played to their end (`protocol.counting`). Beside training, evaluation has
    tags of its own: `eval_episode/return`.

    Raises:
        UsageError: the folder already holds event files; TensorBoard would mix them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.glob("*tfevents*")):
        raise UsageError(f"{folder} already holds TensorBoard files. Choose another folder with -o.")
    started = reader.summary().t_first or 0.0
    path = folder / f"events.out.tfevents.{int(started):010d}.mosaic"
    temporary = folder / f".{path.name}.tmp"
    try:
        with temporary.open("wb") as file:
            file.write(_record(_double(1, started) + _text(3, "brain.Event:2")))
            for record in _scalars(reader):
                file.write(record)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def _scalars(reader: StoreReader) -> Iterator[bytes]:
    trained = next(_counted(reader, evaluation=False), None) is not None
    for episode in _counted(reader, evaluation=not trained):
        yield from _of_episode("episode", episode)
    for episode in _counted(reader, evaluation=True) if trained else ():
        yield from _of_episode("eval_episode", episode)
    counted: defaultdict[str, int] = defaultdict(int)
    since = 0
    while metrics := reader.metrics(since_seq=since, limit=_PAGE):
        for row in metrics:
            step = counted[row.name] if row.step is None else row.step
            counted[row.name] += 1
            yield scalar_event(row.name, row.value, step=step, t=row.t)
        since = metrics[-1].seq


def _counted(reader: StoreReader, *, evaluation: bool) -> Iterator[EpisodeRow]:
    """The episodes that were played to their end, of evaluation or of everything else."""
    first = 0
    while page := reader.episodes(first_index=first, limit=_PAGE):
        for row in page:
            mark = mark_of(row.outcome, row.role)
            if row.t_end is not None and counts(row.steps, mark) and is_evaluation(mark) == evaluation:
                yield row
        first = page[-1].index + 1


def _of_episode(group: str, episode: EpisodeRow) -> Iterator[bytes]:
    t = episode.t_end or 0.0
    yield scalar_event(f"{group}/return", episode.return_, step=episode.index, t=t)
    yield scalar_event(f"{group}/length", episode.steps, step=episode.index, t=t)


def scalar_event(tag: str, value: float, *, step: int, t: float) -> bytes:
    """The record of one scalar."""
    in_range = max(-_INT64, min(_INT64 - 1, step))
    summary_value = _text(1, tag) + b"\x15" + _float32(value)
    summary = _bytes(1, summary_value)
    return _record(_double(1, t) + b"\x10" + _varint(in_range % (1 << 64)) + _bytes(5, summary))


def _float32(value: float) -> bytes:
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", math.copysign(math.inf, value))


def _record(data: bytes) -> bytes:
    head = struct.pack("<Q", len(data))
    return b"".join(
        (head, struct.pack("<I", masked_crc32c(head)), data, struct.pack("<I", masked_crc32c(data)))
    )


def _double(field: int, value: float) -> bytes:
    return bytes([field << 3 | 1]) + struct.pack("<d", value)


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode("utf-8", "replace"))


def _bytes(field: int, value: bytes) -> bytes:
    return bytes([field << 3 | 2]) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _make_table() -> tuple[int, ...]:
    table = []
    for start in range(256):
        crc = start
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)  # the Castagnoli polynomial, reflected
        table.append(crc)
    return tuple(table)


_TABLE = _make_table()


def masked_crc32c(data: bytes) -> int:
    """CRC-32C as record files store it: rotated by 15 bits, plus a constant."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
