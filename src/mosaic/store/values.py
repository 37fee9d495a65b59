"""JSON values of a column, as numbers where they are numbers. Pure: texts come back character for character.

Steps carry `action` and `obs` as JSON. A column of integers, of arrays of one kind, or of array checksums is
recognised whole and kept as binary; every other column stays JSON text. Nothing is rounded or normalised.
"""

from __future__ import annotations

import binascii
import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Arrays", "Checksums", "Ints", "Same", "Texts", "Values", "join", "parse", "recognise", "take"]

Index = slice | npt.NDArray[np.int64]

_ARRAY = re.compile(rb'\{"nd":"[<|][a-zA-Z][0-9]{1,2}","shape":\[[0-9,]*\],"b64":"')
_CHECKSUM = re.compile(
    rb'(\{"crc32":)[0-9]+(,"nd":"[^"\\]*","shape":\[[0-9,]*\]\})|(\{"nd":"[^"\\]*","shape":\[[0-9,]*\],"crc32":)[0-9]+(\})'
)
_INTEGER = re.compile(rb"-?[0-9]{1,19}")
_ZERO, _COMMA = b"0,"
_INT64 = range(-(1 << 63), 1 << 63)

_SIXBITS = np.full(256, 255, np.uint8)
_SIXBITS[np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8)] = (
    np.arange(64, dtype=np.uint8)
)


def parse(text: bytes) -> Any:
    """The value of a JSON text.

    What msgspec refuses (numbers out of range, say) the standard library may take.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text.decode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class Same:
    """`count` times one text."""

    text: bytes
    count: int

    @property
    def size(self) -> int:
        """About how many bytes a value takes."""
        return len(self.text)

    def __len__(self) -> int:
        return self.count

    def texts(self) -> list[bytes]:
        """The JSON of each value."""
        return [self.text] * self.count

    def objects(self) -> list[Any]:
        """Each value, decoded; each its own, so that a caller may change one."""
        one = parse(self.text)
        return [one] * self.count if not isinstance(one, (dict, list)) else [parse(t) for t in self.texts()]


@dataclass(frozen=True)
class Texts:
    """Any JSON."""

    data: Sequence[bytes]

    @cached_property
    def size(self) -> int:
        """About how many bytes a value takes."""
        return sum(map(len, self.data)) // max(1, len(self.data))

    def __len__(self) -> int:
        return len(self.data)

    def texts(self) -> list[bytes]:
        """The JSON of each value."""
        return list(self.data)

    def objects(self) -> list[Any]:
        """Each value, decoded."""
        return [parse(text) for text in self.data]


@dataclass(frozen=True)
class Ints:
    """Integers of at most 64 bits."""

    data: npt.NDArray[np.int64]

    @property
    def size(self) -> int:
        """About how many bytes a value takes."""
        return 8

    def __len__(self) -> int:
        return len(self.data)

    def texts(self) -> list[bytes]:
        """The JSON of each value."""
        return [b"%d" % value for value in self.data.tolist()]

    def objects(self) -> list[Any]:
        """Each value."""
        numbers: list[Any] = self.data.tolist()
        return numbers


@dataclass(frozen=True)
class Checksums:
    """Arrays over the inline limit: one crc32 each, everything else alike."""

    before: bytes
    after: bytes
    data: npt.NDArray[np.int64]

    @property
    def size(self) -> int:
        """About how many bytes a value takes."""
        return 8

    def __len__(self) -> int:
        return len(self.data)

    def texts(self) -> list[bytes]:
        """The JSON of each value."""
        return [b"%b%d%b" % (self.before, value, self.after) for value in self.data.tolist()]

    def objects(self) -> list[Any]:
        """Each value, decoded."""
        return [parse(text) for text in self.texts()]


@dataclass(frozen=True)
class Arrays:
    """Arrays of one dtype and shape: `data[i]` holds the bytes of the i-th."""

    before: bytes
    dtype: str
    data: npt.NDArray[np.uint8]

    @property
    def size(self) -> int:
        """About how many bytes a value takes."""
        return int(self.data.shape[1])

    def __len__(self) -> int:
        return len(self.data)

    def _codes(self) -> list[bytes]:
        flat, size = memoryview(self.data.tobytes()), self.data.shape[1]
        return [
            binascii.b2a_base64(flat[at : at + size], newline=False)
            for at in range(0, size * len(self.data), max(1, size))
        ]

    def texts(self) -> list[bytes]:
        """The JSON of each value."""
        return [b'%b%b"}' % (self.before, code) for code in self._codes()]

    def objects(self) -> list[Any]:
        """Each value as `{"nd", "shape", "b64"}`."""
        shape = msgspec.json.decode(self.before + b'"}')["shape"]
        return [{"nd": self.dtype, "shape": shape[:], "b64": code.decode()} for code in self._codes()]


Values = Same | Texts | Ints | Checksums | Arrays


def recognise(raws: Sequence[bytes | msgspec.Raw]) -> Values:
    """The tightest form that gives back exactly these texts."""
    first = bytes(raws[0]) if raws else b"null"
    if first[:1] == b"{":
        arrays = _as_arrays(raws, first)
        if arrays is not None:
            return arrays
        texts = list(map(bytes, raws))
        return _as_checksums(texts) or Texts(texts)
    digits = np.frombuffer(b",".join(raws), np.uint8)
    if len(digits) == 2 * len(raws) - 1 and (digits[1::2] == _COMMA).all() and _all_digits(digits[::2]):
        return Ints((digits[::2] - _ZERO).astype(np.int64))
    texts = list(map(bytes, raws))
    kinds = set(texts)
    numbers = {text: int(text) for text in kinds if _INTEGER.fullmatch(text)}
    if len(numbers) == len(kinds) and all(n in _INT64 and b"%d" % n == text for text, n in numbers.items()):
        return Ints(np.array([numbers[text] for text in texts], np.int64))
    return Same(first, len(texts)) if len(kinds) == 1 else Texts(texts)


def _all_digits(letters: npt.NDArray[np.uint8]) -> bool:
    return bool(((letters >= _ZERO) & (letters <= _ZERO + 9)).all())


def take(values: Values, index: Index) -> Values:
    """The values at a slice or an array of indices."""
    if isinstance(values, Same):
        count = len(range(*index.indices(values.count))) if isinstance(index, slice) else len(index)
        return Same(values.text, count)
    if isinstance(values, Texts):
        if isinstance(index, slice):
            return Texts(values.data[index])
        return Texts([values.data[i] for i in index.tolist()])
    if isinstance(values, Ints):
        return Ints(values.data[index])
    if isinstance(values, Checksums):
        return Checksums(values.before, values.after, values.data[index])
    return Arrays(values.before, values.dtype, values.data[index])


def join(parts: Sequence[Values]) -> Values:
    """Several columns, one after the other; text where they are of different kinds."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if isinstance(first, Same) and all(isinstance(p, Same) and p.text == first.text for p in parts):
        return Same(first.text, sum(map(len, parts)))
    if isinstance(first, Ints) and all(isinstance(p, Ints) for p in parts):
        return Ints(np.concatenate([p.data for p in parts if isinstance(p, Ints)]))
    if isinstance(first, Arrays) and all(isinstance(p, Arrays) and p.before == first.before for p in parts):
        data = np.concatenate([p.data for p in parts if isinstance(p, Arrays)])
        return Arrays(first.before, first.dtype, data)
    if isinstance(first, Checksums) and all(
        isinstance(p, Checksums) and (p.before, p.after) == (first.before, first.after) for p in parts
    ):
        data64 = np.concatenate([p.data for p in parts if isinstance(p, Checksums)])
        return Checksums(first.before, first.after, data64)
    return Texts([text for part in parts for text in part.texts()])


def _as_checksums(texts: Sequence[bytes]) -> Checksums | None:
    match = _CHECKSUM.fullmatch(texts[0])
    if match is None:
        return None
    before, after = match[1] or match[3], match[2] or match[4]
    start, stop = len(before), -len(after)
    digits = [text[start:stop] for text in texts if text.startswith(before) and text.endswith(after)]
    if len(digits) != len(texts) or not all(map(bytes.isdigit, digits)):
        return None
    numbers = [int(text) for text in digits]
    if max(numbers) not in _INT64 or any(b"%d" % n != text for n, text in zip(numbers, digits, strict=True)):
        return None
    return Checksums(before, after, np.array(numbers, np.int64))


def _as_arrays(raws: Sequence[bytes | msgspec.Raw], first: bytes) -> Arrays | None:
    match = _ARRAY.match(first)
    if match is None or first[-2:] != b'"}':
        return None
    head = msgspec.json.decode(match[0] + b'"}')
    try:
        dtype = np.dtype(head["nd"])
    except TypeError:
        return None
    size = dtype.itemsize
    for length in head["shape"]:
        size *= length
    start, stop = match.end(), len(first) - 2
    if dtype.hasobject or dtype.str != head["nd"] or stop - start != (size + 2) // 3 * 4 or not size:
        return None
    joined = b"".join(raws)
    if len(joined) != len(raws) * len(first):
        return None
    # Every row begins and ends as the first one does, so every row is one value: they cannot have shifted.
    letters = np.frombuffer(joined, np.uint8).reshape(len(raws), -1)
    if (letters[:, :start] != letters[0, :start]).any() or (letters[:, stop:] != letters[0, stop:]).any():
        return None
    data = _from_base64(letters[:, start:stop], size)
    return None if data is None else Arrays(match[0], str(head["nd"]), data)


def _from_base64(letters: npt.NDArray[np.uint8], size: int) -> npt.NDArray[np.uint8] | None:
    """Row by row; None when a row is not the one spelling its bytes have."""
    padding = letters.shape[1] // 4 * 3 - size
    digits = _SIXBITS[letters]
    if padding:
        if (letters[:, -padding:] != ord("=")).any():
            return None
        digits[:, -padding:] = 0
    if (digits > 63).any():
        return None
    quads = digits.reshape(len(letters), -1, 4)
    out = np.empty((len(letters), quads.shape[1], 3), np.uint8)
    out[:, :, 0] = quads[:, :, 0] << 2 | quads[:, :, 1] >> 4
    out[:, :, 1] = quads[:, :, 1] << 4 | quads[:, :, 2] >> 2
    out[:, :, 2] = quads[:, :, 2] << 6 | quads[:, :, 3]
    flat = out.reshape(len(letters), -1)
    if padding and flat[:, size:].any():
        return None
    return flat[:, :size]
