"""A run's episodes as columns: sorted and filtered without a row being made. Qt-free; pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from mosaic.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["COLUMNS", "RUNNING", "Episodes", "Filter", "best", "last", "parse_filter", "view", "worst"]

COLUMNS: Final = ("index", "return", "length", "outcome", "seed", "env", "agent", "ended")
"""What can be shown and sorted by."""
RUNNING = "running"
"""The outcome of an episode that is under way."""
_NUMBERS = {"return": "return_", "length": "steps", "index": "index", "seed": "seed"}
_WORD = re.compile(r"(return|length|index|seed)\s*(<=|>=|<|>|=)\s*(\S+)")
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less, ">": np.greater, "<=": np.less_equal, ">=": np.greater_equal, "=": np.equal,
}  # fmt: skip


@dataclass(frozen=True)
class Episodes:
    """Columns; texts are numbers into `texts`. Never changed once given out."""

    index: npt.NDArray[np.int64]
    return_: npt.NDArray[np.float64]
    steps: npt.NDArray[np.int64]
    outcome: npt.NDArray[np.int32]
    seed: npt.NDArray[np.float64]
    env: npt.NDArray[np.int32]
    agent: npt.NDArray[np.int32]
    t_end: npt.NDArray[np.float64]
    texts: tuple[str, ...] = ()
    more: bool = False

    def __len__(self) -> int:
        return len(self.index)

    def text(self, code: int) -> str:
        """The text behind a number."""
        return self.texts[code]


@dataclass(frozen=True)
class Filter:
    """What must hold of an episode: comparisons, and words that stand in its outcome, env or agent."""

    comparisons: tuple[tuple[str, str, float], ...] = ()
    words: tuple[str, ...] = ()


def parse_filter(text: str) -> Filter:
    """`return>100 length<=50 truncated`.

    Raises:
        UsageError: a number is none.
    """
    try:
        comparisons = [(name, sign, float(value)) for name, sign, value in _WORD.findall(text)]
    except ValueError as error:
        raise UsageError(f"{error}. Try: return>100 length<50 truncated") from None
    rest = _WORD.sub(" ", text)
    return Filter(tuple(comparisons), tuple(word.lower() for word in rest.split()))


def view(
    episodes: Episodes, *, by: str = "index", descending: bool = True, wanted: Filter | None = None
) -> npt.NDArray[np.int64]:
    """The rows of the episodes to show, in order. What has no value comes last either way."""
    keep = np.ones(len(episodes), bool)
    for name, sign, value in (wanted or Filter()).comparisons:
        keep &= _COMPARE[sign](getattr(episodes, _NUMBERS[name]), value)
    for word in (wanted or Filter()).words:
        codes = np.array([word in one.lower() for one in episodes.texts], bool)
        if not len(codes):
            keep[:] = False
            break
        keep &= codes[episodes.outcome] | codes[episodes.env] | codes[episodes.agent]
    rows = np.flatnonzero(keep)
    column, index = _sortable(episodes, by)[rows], episodes.index[rows]
    way = -1 if descending else 1
    return rows[np.lexsort((way * index, way * column))]  # NaN sorts last


def _sortable(episodes: Episodes, by: str) -> npt.NDArray[np.float64]:
    if by in ("outcome", "env", "agent"):
        ranks = np.empty(len(episodes.texts) or 1)
        for rank, code in enumerate(
            sorted(range(len(episodes.texts)), key=lambda code: episodes.texts[code])
        ):
            ranks[code] = rank
        codes: npt.NDArray[np.int32] = getattr(episodes, by)
        return ranks[codes] if len(codes) else np.empty(0)
    name = {"ended": "t_end", **_NUMBERS}[by]
    found: npt.NDArray[np.float64] = getattr(episodes, name).astype(np.float64)
    return found


def _ended(episodes: Episodes) -> npt.NDArray[np.int64]:
    return np.flatnonzero(~np.isnan(episodes.t_end))


def best(episodes: Episodes) -> int | None:
    """The row of the ended episode with the highest return; the first of several."""
    rows = _ended(episodes)
    rows = rows[~np.isnan(episodes.return_[rows])]
    return int(rows[np.argmax(episodes.return_[rows])]) if len(rows) else None


def worst(episodes: Episodes) -> int | None:
    """The row of the ended episode with the lowest return; the first of several."""
    rows = _ended(episodes)
    rows = rows[~np.isnan(episodes.return_[rows])]
    return int(rows[np.argmin(episodes.return_[rows])]) if len(rows) else None


def last(episodes: Episodes) -> int | None:
    """The row of the episode that ended last."""
    rows = _ended(episodes)
    return int(rows[np.argmax(episodes.t_end[rows])]) if len(rows) else None
