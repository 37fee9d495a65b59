"""What the charts show: which metrics, on which axis, how smooth, and whose curves. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mosaic.analysis.axes import AXES, Axis
from mosaic.analysis.smoothing import Smoothing
from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mosaic.analysis.series import Curve

__all__ = ["OF_EPISODES", "WHICH", "Asked", "Charts", "Choice", "Loaded", "choices", "logged_as", "matches"]

COMMON = "Common"
OF_EPISODES = ("return", "length")
"""What episodes themselves say, whether or not a script logs it too."""
WHICH = {
    "": "Training episodes",
    "eval": "Evaluation episodes",
    "all": "All episodes",
}
"""Whose returns and lengths are drawn. The first is the rule of `protocol.counting`: of a run that only
evaluates it draws that. The last draws every ended episode, cut ones included."""
_FIRST = ("return", "length", "eval_return", "sps", "lr")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a chart wants of every run. `runs` are read in this order for as long as there is time."""

    runs: tuple[str, ...]
    keys: tuple[str, ...]
    axis: Axis = "steps"
    smoothing: Smoothing = field(default_factory=Smoothing)
    which: str = ""


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """What changed of one run. A key without a curve is one that this run does not have."""

    run_id: str
    seq: int = 0
    names: tuple[tuple[str, str | None], ...] = ()
    has_episodes: bool = False
    has_evaluation: bool = False
    curves: Mapping[str, Curve] = field(default_factory=dict)
    more: bool = False
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One metric that can be chosen."""

    key: str
    group: str


def choices(names: Iterable[tuple[str, str | None]], *, has_episodes: bool) -> list[Choice]:
    """The metrics there are: canonical names first, then the sources' own by the part before `/`."""
    pairs = dict(names)
    common = {own for own in pairs.values() if own is not None and own != "steps"}
    if has_episodes:
        common |= set(OF_EPISODES)
    first = [key for key in _FIRST if key in common]
    rest = sorted(common - set(first))
    sources = sorted(name for name, own in pairs.items() if name != own)
    return [Choice(key=key, group=COMMON) for key in [*first, *rest]] + [
        Choice(key=name, group=name.split("/", 1)[0] if "/" in name else "Other")
        for name in sorted(sources, key=lambda name: ("/" not in name, name))
    ]


def logged_as(names: Iterable[tuple[str, str | None]], key: str) -> str | None:
    """The name under which a run logs a metric: the key itself, else the first that it is canonical for."""
    pairs = dict(names)
    return key if key in pairs else next((name for name, own in pairs.items() if own == key), None)


def matches(choice: Choice, text: str) -> bool:
    """Whether a choice answers to what was typed: every word is somewhere in its name."""
    name = f"{choice.group} {choice.key}".lower()
    return all(word in name for word in text.lower().split())


class Charts:
    """The state of the charts.

    Args:
        most_charts: how many metrics are shown at once; choosing one more drops the oldest.
        most_runs: how many runs are overlaid; of more, the ones chosen last are shown, and that is said.
    """

    def __init__(self, *, most_charts: int = 8, most_runs: int = 50) -> None:
        self.changed: Signal[[]] = Signal()
        """Settings: what is shown must be asked for or drawn anew."""
        self.loaded: Signal[[]] = Signal()
        """There are other curves or metrics than before."""
        self.keys: tuple[str, ...] = ("return", "length")
        self.axis: Axis = "steps"
        self.smoothing = Smoothing(kind="ema", weight=0.9)
        self.which = ""
        self.log = False
        self.muted: frozenset[str] = frozenset()
        self.solo: str | None = None
        self.runs: tuple[str, ...] = ()
        self.left_out = 0
        self._most_charts = most_charts
        self._most_runs = most_runs
        self._loaded: dict[str, Loaded] = {}

    # -- settings -------------------------------------------------------------------------------------------

    def show_runs(self, run_ids: Sequence[str]) -> None:
        """Overlay these runs."""
        runs = tuple(run_ids)[-self._most_runs :]
        self.left_out = len(run_ids) - len(runs)
        if runs == self.runs:
            return
        self.runs = runs
        self._loaded = {run_id: self._loaded[run_id] for run_id in runs if run_id in self._loaded}
        if self.solo not in runs:
            self.solo = None
        self.changed.emit()

    def toggle(self, key: str) -> None:
        """Show a metric, or show it no more. The last one stays."""
        if key in self.keys:
            keys = tuple(one for one in self.keys if one != key)
        else:
            keys = (*self.keys, key)[-self._most_charts :]
        if keys and keys != self.keys:
            self.keys = keys
            self.changed.emit()

    def set_axis(self, axis: Axis) -> None:
        """Draw over this."""
        if axis not in AXES:
            raise ValueError(f"no such axis: {axis!r}")
        self.axis = axis
        self.changed.emit()

    def set_which(self, which: str) -> None:
        """Draw these episodes."""
        if which not in WHICH:
            raise ValueError(f"no such episodes: {which!r}")
        self.which = which
        self.changed.emit()

    def set_smoothing(self, smoothing: Smoothing) -> None:
        """Smooth like this."""
        self.smoothing = smoothing
        self.changed.emit()

    def set_log(self, on: bool) -> None:
        """Draw y on a logarithmic scale."""
        self.log = on
        self.changed.emit()

    def mute(self, run_id: str) -> None:
        """Hide a run's curves, or show them again."""
        self.muted = self.muted ^ {run_id}
        self.changed.emit()

    def only(self, run_id: str) -> None:
        """Show one run's curves alone, or all again."""
        self.solo = None if self.solo == run_id else run_id
        self.changed.emit()

    # -- what there is --------------------------------------------------------------------------------------

    @property
    def asked(self) -> Asked:
        """What must be read."""
        return Asked(
            runs=self.runs, keys=self.keys, axis=self.axis, smoothing=self.smoothing, which=self.which
        )

    def take(self, loaded: Iterable[Loaded]) -> None:
        """Take in what was read."""
        news = {one.run_id: one for one in loaded if one.run_id in self.runs}
        if news:
            self._loaded.update(news)
            self.loaded.emit()

    def seen(self, run_id: str) -> int:
        """Up to which event a run is shown; -1: it has not been read yet."""
        one = self._loaded.get(run_id)
        return -1 if one is None else one.seq

    def unfinished(self, run_id: str) -> bool:
        """Whether a run has yet to be read, or read to its end."""
        return run_id not in self._loaded or self._loaded[run_id].more

    @property
    def waiting(self) -> bool:
        """Whether a run has yet to be read, or read to its end."""
        return any(self.unfinished(run_id) for run_id in self.runs)

    @property
    def choices(self) -> list[Choice]:
        """The metrics of all runs shown."""
        names = [pair for run_id in self.runs for pair in self._names(run_id)]
        return choices(names, has_episodes=any(one.has_episodes for one in self._loaded.values()))

    @property
    def has_evaluation(self) -> bool:
        """Whether any run shown has episodes of evaluation."""
        return any(one.has_evaluation for one in self._loaded.values())

    @property
    def problems(self) -> dict[str, str]:
        """Why a run's curves cannot be read."""
        return {one.run_id: one.problem for one in self._loaded.values() if one.problem}

    def audible(self, run_id: str) -> bool:
        """Whether a run's curves are drawn."""
        return run_id == self.solo if self.solo is not None else run_id not in self.muted

    def curves(self, key: str) -> dict[str, Curve]:
        """The curves of a metric that are drawn, by run, in the order of the runs."""
        found = {}
        for run_id in self.runs:
            one = self._loaded.get(run_id)
            if one is not None and key in one.curves and self.audible(run_id):
                found[run_id] = one.curves[key]
        return found

    def _names(self, run_id: str) -> tuple[tuple[str, str | None], ...]:
        one = self._loaded.get(run_id)
        return () if one is None else one.names
