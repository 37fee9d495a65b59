"""A sealed segment: zstd frames of bounded size, each with its place, so that damage costs one of them.

Any zstd tool unpacks the file: before each frame stands a mark, in what zstd calls a skippable frame, that
says which bytes of the segment the frame holds; a last mark says how many there are. So whatever part of a
file survives is read at its right offset, and a missing end is noticed. Segments that were sealed as one
frame, as MOSAIC 0.1 did, are read too.

What cannot be read, reads as NULs, which is what a hole in a segment looks like. Unpacking is bounded: no
frame is larger than a block, and no file becomes more than a thousand times its size (or 64 MiB).
"""

from __future__ import annotations

import io
import os
import struct
import zlib
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, NamedTuple, cast

import zstandard

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BLOCK_BYTES", "Damage", "SealedFile", "end_mark", "frame"]

BLOCK_BYTES = 512 << 10
_MAX_RATIO = 1000
_SMALL_BYTES = 64 << 20
_MARK = struct.Struct("<II4sQIII")  # magic, length of what follows, name, offset, packed, plain, CRC of these
_MARK_HEAD = struct.pack("<II4s", 0x184D2A5B, _MARK.size - 8, b"MSC1")
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_MAX_WINDOW = 1 << 24
_LEVEL = 1  # of lines that are much alike: a fifth of the time of level 6, for a thirtieth more bytes
_PIECE = 1 << 20
_STREAM_PIECE = 1 << 17
_MAX_HEADER = 18


class Damage(NamedTuple):
    """Bytes of a segment that cannot be read. `size` 0: its end is missing, nobody knows how much."""

    offset: int
    size: int
    why: str


class _Block(NamedTuple):
    offset: int
    plain: int
    at: int
    packed: int


@dataclass
class _Index:
    """Where the blocks are, and how long the segment is. `cut`: its end is missing."""

    blocks: list[_Block] = field(default_factory=list)
    length: int = 0
    cut: bool = True
    over_limit: bool = False


def frame(data: bytes, *, offset: int) -> bytes:
    """One block, packed, with its mark before it."""
    packed = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(data)
    return _mark(offset, len(packed), len(data)) + packed


def end_mark(*, length: int, file_bytes: int) -> bytes:
    """What ends a sealed segment of `length` bytes, after `file_bytes` of it.

    Lines that are all alike shrink more than readers believe; such a file is filled up.
    """
    mark = _mark(length, 0, 0)
    lacking = 0 if length <= _SMALL_BYTES else -(-length // _MAX_RATIO) - file_bytes - len(mark) - 8
    return (struct.pack("<II", 0x184D2A50, lacking) + bytes(lacking) if lacking > 0 else b"") + mark


def _mark(offset: int, packed: int, plain: int) -> bytes:
    said = _MARK_HEAD + struct.pack("<QII", offset, packed, plain)
    return said + struct.pack("<I", zlib.crc32(said))


class SealedFile:
    """The bytes of a sealed segment by offset, in any order. The descriptor is the caller's.

    Args:
        fd: the file, open for reading.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._file_bytes = os.fstat(fd).st_size
        self._limit = max(_SMALL_BYTES, _MAX_RATIO * self._file_bytes)
        self._cached: tuple[int, bytes] = (-1, b"")
        self._stream: _Stream | None = None
        if os.pread(fd, 4, 0) == _ZSTD_MAGIC:
            self._stream = _Stream(fd, self._limit)
            self._index = _Index([], self._stream.length, self._stream.why != "", self._stream.over_limit)
        else:
            self._index = self._walk()
        self._starts = [block.offset for block in self._index.blocks]

    @property
    def length(self) -> int:
        """How many bytes the segment has, as far as anybody knows."""
        return self._index.length

    @property
    def cut(self) -> bool:
        """Whether something is missing that no offset tells of."""
        return self._index.cut

    @property
    def over_limit(self) -> bool:
        """Whether it would become more than any file of its size may: then the rest of it is left out."""
        return self._index.over_limit

    def read(self, offset: int, size: int) -> bytes:
        """Up to `size` bytes at `offset`; fewer only at the end. NULs for what cannot be read."""
        size = max(0, min(size, self.length - offset))
        if self._stream is not None:
            return self._stream.read(offset, size).ljust(size, b"\0")
        parts = []
        while size > 0:
            part = self._part(offset)[:size]
            parts.append(part)
            offset, size = offset + len(part), size - len(part)
        return b"".join(parts)

    def damage(self) -> list[Damage]:
        """All that cannot be read. Unpacks everything."""
        found = []
        if self._stream is not None:
            if self._stream.why:
                found.append(Damage(self._stream.good, self.length - self._stream.good, self._stream.why))
            return found
        at = 0
        for number, block in enumerate(self._index.blocks):
            if block.offset > at:
                found.append(Damage(at, block.offset - at, "its mark is damaged"))
            if self._unpack(number) is None:
                found.append(Damage(block.offset, block.plain, "it does not match its checksum"))
            at = block.offset + block.plain
        if at < self.length:
            found.append(Damage(at, self.length - at, "its mark is damaged"))
        if self.cut:
            found.append(Damage(self.length, 0, "its end is missing"))
        return found

    def _part(self, offset: int) -> bytes:
        """From an offset to the end of its block, or of the gap between two."""
        number = bisect_right(self._starts, offset) - 1
        if number >= 0:
            block = self._index.blocks[number]
            if offset < block.offset + block.plain:
                data = self._unpack(number)
                return (bytes(block.plain) if data is None else data)[offset - block.offset :]
        following = self._starts[number + 1] if number + 1 < len(self._starts) else self.length
        return bytes(min(following - offset, BLOCK_BYTES))

    def _unpack(self, number: int) -> bytes | None:
        """A block; None when it is damaged."""
        if self._cached[0] == number:
            return self._cached[1]
        block = self._index.blocks[number]
        packed = os.pread(self._fd, block.packed, block.at)
        try:
            # A frame that says how large it is gets that much memory, whatever limit is set: ask it first.
            if zstandard.get_frame_parameters(packed).content_size != block.plain:
                return None
            data = zstandard.ZstdDecompressor().decompress(packed, max_output_size=block.plain)
        except zstandard.ZstdError:
            return None
        if len(data) != block.plain:
            return None
        self._cached = (number, data)
        return data

    def _walk(self) -> _Index:
        """Go from mark to mark; where one is damaged, look for the next."""
        index, at = _Index(), 0
        while at < self._file_bytes:
            said = self._read_mark(at)
            if said is None:
                at = self._find_mark(at + 1)
                continue
            offset, packed, plain = said
            index.over_limit = index.over_limit or offset + plain > self._limit
            if packed == plain == 0:
                index.length, index.cut = max(index.length, min(offset, self._limit)), index.over_limit
                return index
            at += _MARK.size
            if index.length <= offset <= self._limit - plain and plain <= BLOCK_BYTES:
                index.blocks.append(_Block(offset, plain, at, packed))
                index.length = offset + plain
            if at + packed <= self._file_bytes:
                at += packed
        return index

    def _read_mark(self, at: int) -> tuple[int, int, int] | None:
        data = os.pread(self._fd, _MARK.size, at)
        if len(data) < _MARK.size or not data.startswith(_MARK_HEAD):
            return None
        *_, offset, packed, plain, checksum = _MARK.unpack(data)
        return (offset, packed, plain) if zlib.crc32(data[:-4]) == checksum else None

    def _find_mark(self, at: int) -> int:
        """Where the next mark may begin; the end when there is none."""
        while data := os.pread(self._fd, _PIECE, at):
            found = data.find(_MARK_HEAD)
            if found >= 0:
                return at + found
            if len(data) < len(_MARK_HEAD):
                break
            at += len(data) - len(_MARK_HEAD) + 1
        return self._file_bytes


class _Stream:
    """A segment that was sealed as one frame: cheap to read forwards, dear to read backwards.

    It is unpacked once before anything is handed out, to know how far it is good. `why` says what is wrong
    with it; empty: nothing.
    """

    def __init__(self, fd: int, limit: int) -> None:
        self._fd = fd
        self.why = ""
        self.over_limit = False
        self.good = 0
        self._start, self._window, self._rest = 0, b"", self._parts()
        try:
            for part in self._parts():
                self.good += len(part)
                if self.good > limit:
                    self.good, self.why = limit, f"it unpacks to more than {limit} bytes"
                    self.over_limit = True
                    break
        except zstandard.ZstdError as error:
            self.why = str(error)
        self.length = max(self.good, min(self._declared(), limit))
        if self.length > self.good and not self.why:
            self.why = "its end is missing"

    def read(self, offset: int, size: int) -> bytes:
        """The bytes that are good."""
        size = min(size, self.good - offset)
        if size <= 0:
            return b""
        if offset < self._start:
            self._start, self._window, self._rest = 0, b"", self._parts()
        while self._start + len(self._window) < offset + size:
            passed = min(max(0, offset - self._start), len(self._window))
            self._window = self._window[passed:] + next(self._rest)
            self._start += passed
        return self._window[offset - self._start :][:size]

    def _declared(self) -> int:
        """What the frame says of its size; 0: nothing."""
        try:
            said = zstandard.get_frame_parameters(os.pread(self._fd, _MAX_HEADER, 0)).content_size
        except zstandard.ZstdError:
            return 0
        return 0 if said == zstandard.CONTENTSIZE_UNKNOWN else said

    def _parts(self) -> Iterator[bytes]:
        unpacker = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW)
        stream = unpacker.stream_reader(cast("IO[bytes]", _FromStart(self._fd)))
        while part := stream.read(_STREAM_PIECE):
            yield part


class _FromStart(io.RawIOBase):
    """A file read from its beginning, whoever else reads it from the same descriptor."""

    def __init__(self, fd: int) -> None:
        self._fd, self._at = fd, 0

    def read(self, size: int = -1, /) -> bytes:
        data = os.pread(self._fd, size if size >= 0 else _PIECE, self._at)
        self._at += len(data)
        return data
