"""A run's episodes as columns, and which of them are listed: no row is made. Reads nothing. Qt-free."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from mosaic.errors import UsageError
from mosaic.protocol.counting import ROLES, UNKNOWN, chosen, has_role
from mosaic.text import visible
from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "COLUMNS",
    "RUNNING",
    "EpisodeList",
    "Episodes",
    "Filter",
    "best",
    "last",
    "parse_filter",
    "view",
    "worst",
]

COLUMNS: Final = ("index", "return", "length", "outcome", "role", "seed", "env", "agent", "ended")
"""What can be shown and sorted by."""
RUNNING = "running"
"""The outcome of an episode that is under way."""
_NO_RUN = "Choose a run on the left to see its episodes."
_NONE_YET = "No episode yet. They appear here as soon as the environment is reset for the first time."
_NUMBERS = {"return": "return_", "length": "steps", "index": "index", "seed": "seed"}
_ROLE = re.compile(r"role\s*=\s*(\S+)")
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
    role: npt.NDArray[np.int32]
    mark: npt.NDArray[np.int32]
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
    """What must hold of an episode: comparisons, its role, and words in its outcome, env or agent."""

    comparisons: tuple[tuple[str, str, float], ...] = ()
    role: str = ""
    words: tuple[str, ...] = ()


def parse_filter(text: str) -> Filter:
    """`return>100 length<=50 role=eval truncated`.

    Raises:
        UsageError: what something is compared with is not a number, or not a role.
    """
    comparisons = tuple((name, sign, _number(value)) for name, sign, value in _WORD.findall(text))
    rest = _WORD.sub(" ", text)
    roles = [_role(said) for said in _ROLE.findall(rest)]
    words = _ROLE.sub(" ", rest).split()
    return Filter(comparisons, roles[-1] if roles else "", tuple(word.lower() for word in words))


def _role(text: str) -> str:
    if text.lower() not in (*ROLES, UNKNOWN):
        raise UsageError(f"{text!r} is not a role. Try: role=train, role=eval or role=unknown")
    return text.lower()


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a number. Try: return>100 length<50 role=eval") from None


def view(
    episodes: Episodes, *, by: str = "index", descending: bool = True, wanted: Filter | None = None
) -> npt.NDArray[np.int64]:
    """The rows of the episodes to show, in order. What has no value comes last either way."""
    keep = np.ones(len(episodes), bool)
    for name, sign, value in (wanted or Filter()).comparisons:
        keep &= _COMPARE[sign](getattr(episodes, _NUMBERS[name]), value)
    if wanted is not None and wanted.role:
        keep &= has_role(episodes.mark, wanted.role)
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
    if by in ("outcome", "role", "env", "agent"):
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


def _told(episodes: Episodes, listed: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Of the rows listed, the ended episodes that `protocol.counting` chooses, in order."""
    rows = np.sort(listed)
    rows = rows[~np.isnan(episodes.t_end[rows])]
    found: npt.NDArray[np.int64] = rows[chosen(episodes.steps[rows], episodes.mark[rows])]
    return found


def best(episodes: Episodes, listed: npt.NDArray[np.int64]) -> int | None:
    """Of the rows listed, that of the episode with the highest return; the first of several."""
    rows = _told(episodes, listed)
    rows = rows[~np.isnan(episodes.return_[rows])]
    return int(rows[np.argmax(episodes.return_[rows])]) if len(rows) else None


def worst(episodes: Episodes, listed: npt.NDArray[np.int64]) -> int | None:
    """Of the rows listed, that of the episode with the lowest return; the first of several."""
    rows = _told(episodes, listed)
    rows = rows[~np.isnan(episodes.return_[rows])]
    return int(rows[np.argmin(episodes.return_[rows])]) if len(rows) else None


def last(episodes: Episodes, listed: npt.NDArray[np.int64]) -> int | None:
    """Of the rows listed, that of the episode that ended last."""
    rows = _told(episodes, listed)
    return int(rows[np.argmax(episodes.t_end[rows])]) if len(rows) else None


class EpisodeList:
    """The episodes of one run as they are listed: in which order, and which of them."""

    def __init__(self) -> None:
        self.changed: Signal[[]] = Signal()
        """There is something else to show."""
        self.asked: Signal[[]] = Signal()
        """Another order or filter is wanted: `rows` must be worked out anew."""
        self.by, self.descending = "index", True
        self.words = ""
        """The filter as it was typed."""
        self.refusal = ""
        """Why what was typed cannot be a filter; the last one that can be is kept."""
        self.wanted = Filter()
        self.run_id: str | None = None
        self.episodes: Episodes | None = None
        self.rows: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self.problem, self.read = "", False

    def turn_to(self, run_id: str | None) -> None:
        """List another run's, of which nothing is read yet; order and filter stay."""
        self.run_id, self.episodes, self.rows = run_id, None, np.empty(0, np.int64)
        self.problem, self.read = "", False
        self.changed.emit()

    def sort(self, by: str) -> None:
        """Sort by this column, highest first; by the same once more, the other way round."""
        self.by, self.descending = by, by != self.by or not self.descending
        self.changed.emit()
        self.asked.emit()

    def filter(self, words: str) -> None:
        """List what answers to this."""
        if words == self.words:
            return
        self.words = words
        try:
            self.wanted, self.refusal = parse_filter(words), ""
        except UsageError as error:
            self.refusal = str(error)
        self.changed.emit()
        if not self.refusal:
            self.asked.emit()

    def take(self, found: tuple[Episodes, npt.NDArray[np.int64]] | None) -> None:
        """Take in what was read, and which rows of it are listed, in order; None: there is nothing yet."""
        if found is not None:
            self.episodes, self.rows = found
        self.problem, self.read = "", True
        self.changed.emit()

    def fail(self, why: str) -> None:
        """They could not be read; it will be tried again."""
        self.problem = why
        self.changed.emit()

    @property
    def empty(self) -> str:
        """Why there is no list; empty when there is one."""
        if self.run_id is None:
            return _NO_RUN
        if self.problem or not self.read:
            return self.problem or "Loading…"
        return "" if self.episodes is not None and len(self.episodes) else _NONE_YET

    @property
    def said(self) -> str:
        """What there is to say below the list."""
        shown = self.episodes
        if self.refusal or shown is None:
            return self.refusal
        count, listed = len(shown), len(self.rows)
        of_all = "" if listed == count else f"{listed:,} of "
        parts = [f"{of_all}{count:,} episode{'' if count == 1 else 's'}"]
        parts += ["still reading…"] if shown.more else []
        parts += [visible(shown.text(int(shown.env[0])))] if count and _same(shown.env) else []
        return "   ".join(parts)

    @property
    def idle_columns(self) -> frozenset[str]:
        """The columns that say the same in every row, or nothing."""
        shown = self.episodes
        if shown is None or not len(shown):
            return frozenset()
        idle = {name: _same(getattr(shown, name)) for name in ("role", "env", "agent")}
        idle["seed"] = bool(np.isnan(shown.seed).all())
        return frozenset(name for name, is_idle in idle.items() if is_idle)


def _same(codes: npt.NDArray[np.int32]) -> bool:
    """Whether every row says the same."""
    return bool((codes == codes[0]).all())
