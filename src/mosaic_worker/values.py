"""Any Python value as plain JSON values. Never imports numpy: looks whether the script has.

Exact where it can be: arrays keep their bits, floats their NaNs, integers all their digits. What has no
JSON form becomes `{"repr": …, "type": …}`: marked, never dropped, never an exception for the caller to
handle.
"""

from __future__ import annotations

import base64
import struct
import sys
import zlib
from typing import Any, Dict, Optional, Union

__all__ = ["float_from_json", "float_to_json", "plain", "text"]

_MAX_DEPTH = 32  # readers refuse more than 64 levels
_MAX_REPR = 200
_MAX_ITEMS = 4096
_USUAL_NAN = 0x7FF8000000000000
_OPAQUE_KINDS = "OV"  # object and structured arrays: their bytes mean nothing elsewhere


def float_to_json(value: float) -> Union[float, str]:
    """A float's wire form: itself when finite, else its name; a NaN of unusual bits keeps them."""
    if value - value == 0.0:
        return value
    if value != value:  # noqa: PLR0124  (the NaN test)
        bits = struct.unpack("<Q", struct.pack("<d", value))[0]
        return "NaN" if bits == _USUAL_NAN else f"NaN:{bits:016x}"
    return "Infinity" if value > 0 else "-Infinity"


def float_from_json(value: Union[float, str]) -> float:
    """The float behind its wire form."""
    if isinstance(value, str) and value.startswith("NaN:"):
        return float(struct.unpack(">d", bytes.fromhex(value[4:]))[0])
    return float(value)


def text(value: str) -> str:
    """A string that every JSON reader accepts: lone surrogates become visible escapes."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-8", "backslashreplace").decode()
    return value


def plain(value: Any, *, inline_bytes: int = 1024) -> Any:
    """The value as None, bool, int, float, str, list, dict. Arrays over `inline_bytes` become checksums."""
    return _plain(value, inline_bytes, 0)


def _plain(value: Any, limit: int, depth: int) -> Any:  # noqa: PLR0911  (one return per kind of value)
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    if kind is int or isinstance(value, int):
        number = int(value)
        return number if -(1 << 63) <= number < (1 << 64) else str(number)
    if kind is float or isinstance(value, float):
        return float_to_json(float(value))
    if isinstance(value, str):
        return text(str(value))
    if depth >= _MAX_DEPTH:
        return _opaque(value)
    if isinstance(value, dict):
        return {
            text(key if isinstance(key, str) else str(key)): _plain(item, limit, depth + 1)
            for key, item in list(value.items())
        }
    if isinstance(value, (list, tuple)):
        return [_plain(item, limit, depth + 1) for item in value]
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": base64.b64encode(value).decode()}
    array = as_array(value)
    if array is not None:
        return _array(array, limit, depth)
    return _opaque(value)


def as_array(value: Any) -> Optional[Any]:
    """The numpy array or scalar behind a value (tensors included), or None."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value
    if not hasattr(value, "__array__"):
        return None
    try:
        if hasattr(value, "detach"):
            value = value.detach().cpu()
        found = numpy.asarray(value)
    except (TypeError, ValueError, RuntimeError, NotImplementedError, AttributeError):
        return None
    return found


def _array(array: Any, limit: int, depth: int) -> Any:
    dtype = array.dtype
    if not hasattr(array, "__setitem__") or isinstance(array, sys.modules["numpy"].generic):
        if dtype.kind in "biuf" and dtype.itemsize <= 8:
            return _plain(array.item(), limit, depth)
        array = sys.modules["numpy"].asarray(array)
    if dtype.kind in _OPAQUE_KINDS:
        if dtype.kind == "O" and array.size <= _MAX_ITEMS:
            return _plain(array.tolist(), limit, depth + 1)
        return _opaque(array)
    found: Dict[str, Any] = {"nd": dtype.str, "shape": list(array.shape)}
    data = array.tobytes()
    if len(data) > limit:
        return {"crc32": zlib.crc32(data), **found}
    found["b64"] = base64.b64encode(data).decode()
    return found


def _opaque(value: Any) -> Dict[str, str]:
    kind = type(value)
    try:
        shown = repr(value)
    except (TypeError, ValueError, AttributeError, RuntimeError, RecursionError) as error:
        shown = f"<no repr: {type(error).__name__}>"
    return {"repr": text(shown[:_MAX_REPR]), "type": f"{kind.__module__}.{kind.__qualname__}"}
