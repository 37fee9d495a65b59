"""Number columns to few bytes and back, bit for bit. Pure: arrays in, bytes out; it never looks at meaning.

A column is turned so that neighbours in time become small numbers (difference, second difference, or the
slope of another column), split into byte planes, and each plane is kept as a constant, as bits, plain, or
compressed, whichever is smallest. All arithmetic is element by element on integers or IEEE doubles, so every
machine decodes what any machine encoded.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mosaic.store.zstd import Zstd

__all__ = ["pack_ints", "pack_matrix", "unpack_ints", "unpack_matrix"]

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Unsigned = npt.NDArray[Any]

_CONSTANT, _PLAIN, _PRESSED, _BITS = range(4)
_RAW, _DELTA, _DELTA2, _SLOPE = range(4)
_FEW = 48  # up to so many numbers Python is faster than numpy
_PRESS_FROM = 64  # shorter planes do not repay a frame of their own
_OWN_PLANES = 16  # matrices up to this wide keep planes per column
_SAMPLE = 128  # values looked at to choose a form
_SLOPE_WORTH = 0.9  # how well a column must follow another's slope before it is tried
_BITS_WORTH = 0.4  # only a plane that compresses this far may be nothing but bits
_SMALLER = 0.97  # a compressed plane must save at least this much
_UNSIGNED: dict[int, np.dtype[Any]] = {
    1: np.dtype("<u1"),
    2: np.dtype("<u2"),
    4: np.dtype("<u4"),
    8: np.dtype("<u8"),
}

_FLOATS: dict[int, np.dtype[Any]] = {4: np.dtype("<f4"), 8: np.dtype("<f8")}
_SIGNED: dict[int, np.dtype[Any]] = {4: np.dtype("<i4"), 8: np.dtype("<i8")}

_zstd = Zstd(level=1, magicless=True)


def pack_ints(values: Ints) -> bytes:
    """Signed integers, as narrow as they allow."""
    if not len(values):
        return b""
    if len(values) <= _FEW:
        few = values.tolist()
        low, high = min(few), max(few)
    else:
        low, high = int(values.min()), int(values.max())
    if low == high:
        return b"\0" + values[:1].tobytes()
    signed = low < 0
    plain = _fold(values.view(np.uint64)) if signed else values.view(np.uint64)
    top = max(2 * high, -2 * low - 1) if signed else high
    width = next(w for w in _UNSIGNED if top < 1 << 8 * w)
    return bytes([width | signed << 7]) + _pack_planes(plain.astype(_UNSIGNED[width])[None])


def unpack_ints(data: bytes, count: int) -> Ints:
    """The integers `pack_ints` was given."""
    if not count:
        return np.empty(0, np.int64)
    if not data[0]:
        return np.full(count, np.frombuffer(data, "<i8", 1, 1)[0])
    wide = _unpack_planes(data, 1, 1, count, data[0] & 0x7F)[0].astype(np.uint64)
    return (_unfold(wide) if data[0] & 0x80 else wide).view(np.int64)


def pack_matrix(rows: Bytes, *, dtype: str, ends: Ints) -> bytes:
    """`rows[i]` holds the bytes of the i-th array; `ends` are the last rows of each sequence in time."""
    if (rows == rows[0]).all():
        same: bytes = b"\0" + rows[0].tobytes()
        return same
    kind = np.dtype(dtype)
    width = kind.itemsize if kind.itemsize in _UNSIGNED and rows.shape[1] % kind.itemsize == 0 else 1
    bits: Unsigned = np.ascontiguousarray(np.ascontiguousarray(rows).view(_UNSIGNED[width]).T)
    is_float = kind.kind == "f" and width in (4, 8)
    codes, coded = _choose(bits, is_float=is_float, ends=ends)
    # Planes per column compress best, because one column's bytes are alike. But each plane costs a tag and,
    # compressed, a frame: for the thousands of columns of an image that is more than it saves.
    if len(bits) > _OWN_PLANES:
        coded = coded.reshape(1, -1)
    packed: bytes = bytes([width, is_float]) + codes + _pack_planes(coded)
    return packed


def unpack_matrix(data: bytes, *, count: int, row_bytes: int, ends: Ints) -> Bytes:
    """The rows `pack_matrix` was given."""
    if not data[0]:
        return np.repeat(np.frombuffer(data, np.uint8, row_bytes, 1)[None], count, axis=0)
    width, is_float = data[0], bool(data[1])
    columns = row_bytes // width
    codes = np.frombuffer(data, np.uint8, columns, 2)
    at = 2 + columns
    scales = np.frombuffer(data, "<f8", int((codes == _SLOPE).sum()), at)
    at += 8 * len(scales)
    partners = np.frombuffer(data, np.uint8, len(scales), at)
    at += len(scales)
    if columns <= _OWN_PLANES:
        coded = _unpack_planes(data, at, columns, count, width)
    else:
        coded = _unpack_planes(data, at, 1, count * columns, width).reshape(columns, count)
    out = coded
    if codes.any():
        # Sums of unsigned integers wrap around exactly as the differences did: no bit pattern is lost, NaN
        # and both zeros included. Differences of floats would round.
        ordered = _unfold(coded)
        for j, code in enumerate(codes.tolist()):
            if code != _SLOPE:
                for _ in range(code):
                    ordered[j].cumsum(out=ordered[j])
        out = _from_ordered(ordered) if is_float else ordered
        out[codes == _RAW] = coded[codes == _RAW]
    if len(scales):
        with np.errstate(all="ignore"):
            guess = _slope(_as_floats(out[partners]), ends) * scales[:, None]
            leaning = ordered[codes == _SLOPE] + _ordered(_narrow(guess, width))
        out[codes == _SLOPE] = _from_ordered(leaning)
    return np.ascontiguousarray(out.T).view(np.uint8).reshape(count, row_bytes)


def _choose(bits: Unsigned, *, is_float: bool, ends: Ints) -> tuple[bytes, Unsigned]:
    """For each column (a row of `bits`) the form with the fewest significant bits, and all in that form."""
    columns, count = bits.shape
    if count < 3 or bits.dtype.itemsize == 1:
        return bytes(columns), bits
    ordered = _ordered(bits) if is_float else bits
    costs = _cost(_samples(bits, ordered))
    codes = costs.argmin(axis=0)
    coded = ordered.copy()
    # In physics one column often is the slope of another: a velocity that of a position, up to a scale. Then
    # only what the slope does not explain is kept. It must save a bit a value to be worth its scale.
    leans: dict[int, tuple[int, float]] = {}
    if is_float and 2 <= columns <= _OWN_PLANES:
        with np.errstate(all="ignore"):
            for j, i in _followers(_as_floats(bits[:, :_SAMPLE]), ends[ends < min(_SAMPLE, count)]):
                if i in leans or j in {partner for partner, _ in leans.values()}:
                    continue  # a column may lean only on one that stands by itself
                slope = _slope(_as_floats(bits[i]), ends)
                scale = _fit(slope, _as_floats(bits[j]), ends)
                residue = ordered[j] - _ordered(_narrow(slope * scale, bits.dtype.itemsize))
                if _cost(_fold(residue[:: _stride(count)])) < costs[codes[j], j] - 1.0:
                    leans[j] = i, scale
                    codes[j] = _SLOPE
                    coded[j] = residue
    for j, code in enumerate(codes.tolist()):
        if code != _SLOPE:
            for _ in range(code):
                coded[j, 1:] -= coded[j, :-1].copy()
    coded = _fold(coded)
    coded[codes == _RAW] = bits[codes == _RAW]
    chosen = [leans[j] for j in sorted(leans)]
    tail = np.array([scale for _, scale in chosen], "<f8").tobytes() + bytes(i for i, _ in chosen)
    return codes.astype(np.uint8).tobytes() + tail, coded


def _followers(floats: npt.NDArray[np.floating], ends: Ints) -> list[tuple[int, int]]:
    """Pairs (j, i) where column j follows the slope of column i, up to a scale."""
    values = floats.astype(np.float64)
    slopes = np.zeros_like(values)
    slopes[:, :-1] = values[:, 1:] - values[:, :-1]
    slopes[:, ends] = 0.0  # nothing is known there
    powers = np.outer((slopes * slopes).sum(axis=1), (values * values).sum(axis=1))
    match = np.abs(slopes @ values.T) / np.sqrt(powers)
    np.fill_diagonal(match, 0.0)
    match[~np.isfinite(match)] = 0.0
    best = match.argmax(axis=0).tolist()
    return [(j, i) for j, i in enumerate(best) if match[i, j] > _SLOPE_WORTH]


def _fit(slope: npt.NDArray[np.float64], values: npt.NDArray[np.floating], ends: Ints) -> float:
    """The scale that brings a slope nearest to the values. Any would do: it is stored with them."""
    known = slope.copy()
    known[ends] = 0.0
    scale = np.dot(known, values) / np.dot(known, known)
    return float(scale) if np.isfinite(scale) else 0.0


def _slope(values: npt.NDArray[np.floating], ends: Ints) -> npt.NDArray[np.float64]:
    """How much each value changes until the next one; a sequence's last repeats the one before.

    Along the last axis.
    """
    wide = values.astype(np.float64)
    slope = np.zeros_like(wide)
    np.subtract(wide[..., 1:], wide[..., :-1], out=slope[..., :-1])
    slope[..., ends] = np.where(ends > 0, slope[..., ends - 1], 0.0)
    return slope


def _narrow(guess: npt.NDArray[np.float64], width: int) -> Unsigned:
    return guess.astype(_FLOATS[width]).view(_UNSIGNED[width])


def _as_floats(bits: Unsigned) -> npt.NDArray[np.floating]:
    return np.ascontiguousarray(bits).view(_FLOATS[bits.dtype.itemsize])


def _ordered(bits: Unsigned) -> Unsigned:
    """Float bits as integers that grow as the floats do: negative ones inverted, the others lifted above."""
    ordered: Unsigned = bits ^ _sign_mask(bits)
    return ordered


def _from_ordered(ordered: Unsigned) -> Unsigned:
    bits: Unsigned = ordered ^ _sign_mask(~ordered)
    return bits


def _sign_mask(bits: Unsigned) -> Unsigned:
    """All ones where the sign is set, else only the sign."""
    width = bits.dtype.itemsize
    spread = bits.view(_SIGNED[width]) >> _SIGNED[width].type(8 * width - 1)
    mask: Unsigned = spread.view(bits.dtype) | bits.dtype.type(1 << 8 * width - 1)
    return mask


def _fold(bits: Unsigned) -> Unsigned:
    """Two's complement with the sign in the lowest bit, so that small means few bits."""
    kind = bits.dtype.type
    sign = bits >> kind(8 * bits.dtype.itemsize - 1)
    folded: Unsigned = (bits << kind(1)) ^ (kind(0) - sign)
    return folded


def _unfold(folded: Unsigned) -> Unsigned:
    kind = folded.dtype.type
    bits: Unsigned = (folded >> kind(1)) ^ (kind(0) - (folded & kind(1)))
    return bits


def _stride(count: int) -> int:
    """The step that takes a sample over all of a column."""
    return 1 + count // _SAMPLE


def _samples(bits: Unsigned, ordered: Unsigned) -> Unsigned:
    """Some values of each column as they are, as differences, and as second differences."""
    every = _stride(bits.shape[1])
    third, second, first = ordered[:, 2::every], ordered[:, 1:-1:every], ordered[:, :-2:every]
    delta = third - second
    return np.stack([bits[:, 2::every], _fold(delta), _fold(delta - (second - first))])


def _cost(sample: Unsigned) -> npt.NDArray[np.float64]:
    """Mean significant bits along the last axis."""
    costs: npt.NDArray[np.float64] = np.log2(sample.astype(np.float64) + 1.0).mean(axis=-1)
    return costs


def _pack_planes(rows: Unsigned) -> bytes:
    """The byte planes of each row of numbers: first how each is kept, then each."""
    width, (many, count) = rows.dtype.itemsize, rows.shape
    planes = np.ascontiguousarray(rows.view(np.uint8).reshape(many, count, width).transpose(0, 2, 1))
    planes = planes.reshape(many * width, count)
    tags = bytearray(many * width)
    parts = []
    constant = (planes == planes[:, :1]).all(axis=1).tolist()
    for index, plane in enumerate(planes):
        if constant[index]:
            parts.append(plane[:1].tobytes())
        else:
            tags[index], part = _pack_plane(plane)
            parts.append(part)
    return bytes(tags) + b"".join(parts)


def _pack_plane(plane: Bytes) -> tuple[int, bytes]:
    count = len(plane)
    tag, part = _PLAIN, plane.tobytes()
    if count >= _PRESS_FROM:
        pressed = _zstd.compress(part)
        if len(pressed) + 4 < count * _SMALLER:
            tag, part = _PRESSED, len(pressed).to_bytes(4, "little") + pressed
    few = count < _PRESS_FROM or len(part) < count * _BITS_WORTH
    if few and (count + 7) // 8 < len(part) and plane.max() <= 1:
        return _BITS, np.packbits(plane).tobytes()
    return tag, part


def _unpack_planes(data: bytes, at: int, many: int, count: int, width: int) -> Unsigned:
    view = memoryview(data)
    wide = np.empty((many, count, width), np.uint8)
    planes = [wide[row, :, byte] for row in range(many) for byte in range(width)]
    tags = data[at : at + many * width]
    at += len(tags)
    for plane, tag in zip(planes, tags, strict=True):
        if tag == _CONSTANT:
            plane[:] = data[at]
            at += 1
        elif tag == _PLAIN:
            plane[:] = np.frombuffer(view, np.uint8, count, at)
            at += count
        elif tag == _BITS:
            size = (count + 7) // 8
            plane[:] = np.unpackbits(np.frombuffer(view, np.uint8, size, at), count=count)
            at += size
        elif tag == _PRESSED:
            size = int.from_bytes(view[at : at + 4], "little")
            plain = _zstd.decompress(view[at + 4 : at + 4 + size], max_output_size=count)
            plane[:] = np.frombuffer(plain, np.uint8)
            at += 4 + size
        else:
            raise ValueError(f"plane of unknown form {tag}")
    values: Unsigned = wide.view(_UNSIGNED[width]).reshape(many, count)
    return values
