"""Values as people read them: ages, sizes, numbers, what the system refused, worker text made harmless. Pure.

Text from a worker never reaches a screen as it came: `visible` shows control characters instead of
obeying them, so a log line cannot move the cursor, rename the window or hide what stands before it.
"""

from __future__ import annotations

import errno
import unicodedata

__all__ = [
    "age",
    "count",
    "fit",
    "in_json",
    "number",
    "number_or_dash",
    "os_words",
    "size",
    "span",
    "speed",
    "visible",
    "width",
]

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str, *, keep: str = "") -> str:
    r"""Text with every control, format and unassigned character shown as an escape (`\x1b`, `\u202e`).

    Characters in `keep` (newline or tab, say) stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if c in keep or unicodedata.category(c) not in _UNSEEN else c.encode("unicode_escape").decode()
        for c in text
    )


def width(text: str) -> int:
    """How many terminal cells a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def fit(text: str, cells: int) -> str:
    """The text, cut with an ellipsis when it takes more cells than there are."""
    if width(text) <= cells:
        return text
    kept = ""
    for c in text:
        if width(kept + c) > cells - 1:
            break
        kept += c
    return kept + "…" if cells > 0 else ""


def age(then: float | None, *, now: float) -> str:
    """How long ago: `3 min ago`."""
    if then is None:
        return "-"
    past = max(0.0, now - then)
    if past < 5:
        return "just now"
    if past < _MINUTE:
        return f"{past:.0f} s ago"
    if past < _HOUR:
        return f"{past // _MINUTE:.0f} min ago"
    if past < 2 * _DAY:
        return f"{past // _HOUR:.0f} h ago"
    return f"{past // _DAY:.0f} days ago"


def span(secs: float | None) -> str:
    """How long: `1 h 05 min`."""
    if secs is None:
        return "-"
    if secs < 10:
        return f"{secs:.1f} s"
    if secs < _MINUTE:
        return f"{secs:.0f} s"
    if secs < _HOUR:
        return f"{secs // _MINUTE:.0f} min {secs % _MINUTE:02.0f} s"
    return f"{secs // _HOUR:.0f} h {secs % _HOUR // _MINUTE:02.0f} min"


def number(value: float) -> str:
    """A measured number in at most some eight characters."""
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124  (the NaN test)
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    if abs(value) < 1e7 and value == int(value):
        return f"{value:.0f}"
    if 1e-3 <= abs(value) < 1e7:
        return f"{value:.0f}" if abs(value) >= 1e5 else f"{value:.2f}" if abs(value) >= 10 else f"{value:.4g}"
    return f"{value:.3e}"


def number_or_dash(value: float | None) -> str:
    """A number, or a dash for what is not known."""
    return "-" if value is None else number(value)


def speed(value: float | None) -> str:
    """A rate: whole numbers once they are large."""
    return count(round(value)) if value is not None and 100 <= value < 1e15 else number_or_dash(value)


def count(value: int) -> str:
    """A count with thousands set apart."""
    return f"{value:,}"


def amount(value: float | None, *, rate: bool = False) -> str:
    """A count, a rate, or any other number: each as it is read best."""
    if isinstance(value, int):
        return count(value)
    return speed(value) if rate else number_or_dash(value)


def size(octets: float) -> str:
    """A size in bytes, KiB, MiB or GiB."""
    for unit in ("bytes", "KiB", "MiB"):
        if octets < 1024:
            return f"{octets:.0f} {unit}" if unit == "bytes" else f"{octets:.1f} {unit}"
        octets /= 1024
    return f"{octets:.1f} GiB"


def in_json(value: object, *, cells: int = 40) -> str:
    """An action or observation in one short piece of text: numbers rounded, large arrays by their shape."""
    return fit(visible(_short(value)), cells)


def _short(value: object) -> str:
    if isinstance(value, dict) and "nd" in value:
        shape = "x".join(str(n) for n in value.get("shape", ())) or "scalar"
        return f"<{shape} {value['nd']}>"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_short(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_short(item) for item in value) + "]"
    return number(value) if isinstance(value, float) else str(value)


_WAYS_OUT = {
    errno.ENOSPC: "the disk is full. Free some space there, or set MOSAIC_HOME to a folder on another disk.",
    errno.EDQUOT: "your disk quota is used up. Free some space, or set MOSAIC_HOME to another disk.",
    errno.EROFS: "that file system is read-only: it can be read, not written. Set MOSAIC_HOME elsewhere.",
    errno.EMFILE: "this process has too many open files. Raise the limit: ulimit -n 4096",
}


def os_words(error: OSError, *, named: bool = False) -> str:
    """What the operating system refused, where, and the way out where one is known.

    `named` says that the sentence around it names the file already.
    """
    words = error.strerror or str(error)
    where = f"{error.filename}: " if error.filename is not None and not named else ""
    way_out = _WAYS_OUT.get(error.errno or 0, "")
    return f"{where}{words}: {way_out}" if way_out else f"{where}{words}"
