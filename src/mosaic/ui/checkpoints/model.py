"""Checkpoints as the desktop lists them: grouped, with what can be done with each, or why not. Qt-free."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mosaic import text
from mosaic.protocol.cards import COMMAND_RUNNER
from mosaic.protocol.runs import RunState
from mosaic.ui.shell.model.numbers import clock
from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mosaic.artifacts.checkpoints import Known
    from mosaic.protocol.cards import Capabilities
    from mosaic.protocol.runs import RunRow

__all__ = ["Card", "Checkpoints", "Group", "by_kind", "by_run", "card"]

_NO_RUN = "Choose a run on the left to see its checkpoints, or tick All runs."
_NONE = "This run has saved no checkpoint yet.\nWhat it saves with its framework appears here by itself."
_NONE_AT_ALL = "No run has saved a checkpoint yet."
_RETURNS = ("return", "eval_return", "mean_return", "return_mean")


@dataclass(frozen=True, kw_only=True)
class Card:
    """One checkpoint in words. A refusal is the reason why something cannot be done; empty: it can."""

    known: Known
    title: str
    reason: str
    return_: str
    saved: str
    size: str
    state: str
    good: bool
    newest: bool = False
    """The most recent one of its group that can be used, of a run that went well."""
    cannot_evaluate: str = ""
    cannot_train: str = ""
    about: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> tuple[str, int, str]:
        """The same checkpoint later on."""
        return _key(self.known)


@dataclass(frozen=True, kw_only=True)
class Group:
    """Checkpoints under one title."""

    title: str
    cards: tuple[Card, ...]


class Checkpoints:
    """The checkpoints that are listed: those of one run, or of all runs."""

    def __init__(self) -> None:
        self.changed: Signal[[]] = Signal()
        """There is something else to show."""
        self.asked: Signal[[]] = Signal()
        """Other runs' checkpoints are wanted: they must be read."""
        self.everywhere = False
        self.run_id: str | None = None
        """The run in focus."""
        self.known: list[Known] = []
        self.problem, self.read = "", False
        self._capabilities: Mapping[str, Capabilities] = {}
        self._verified: dict[tuple[str, int, str], Known] = {}  # at most one per checkpoint that was verified

    def turn_to(self, run_id: str | None) -> None:
        """Another run is in focus."""
        if run_id != self.run_id:
            self.run_id = run_id
            self._want_others(not self.everywhere)

    def show_everywhere(self, on: bool) -> None:
        """List those of all runs, or of the one in focus alone."""
        if on != self.everywhere:
            self.everywhere = on
            self._want_others(True)

    def _want_others(self, others: bool) -> None:
        if others:
            self.known, self.problem, self.read = [], "", False
        self.changed.emit()
        if others:
            self.asked.emit()

    def take(self, known: Sequence[Known], capabilities: Mapping[str, Capabilities]) -> None:
        """Take in what was read, and what each installed runner can do."""
        self.known, self._capabilities = list(known), capabilities
        self.problem, self.read = "", True
        self.changed.emit()

    def fail(self, why: str) -> None:
        """They could not be read; it will be tried again."""
        self.problem = why
        self.changed.emit()

    def take_verified(self, known: Known) -> None:
        """The bytes of one were compared with the record."""
        self._verified[_key(known)] = known
        self.changed.emit()

    def unverified(self, card: Card) -> Known:
        """A card's checkpoint as it was read: its bytes may have changed since they were compared."""
        return next((one for one in self.known if _key(one) == card.key), card.known)

    @property
    def empty(self) -> str:
        """Why there is no list; empty when there is one."""
        if self.run_id is None and not self.everywhere:
            return _NO_RUN
        if self.problem or not self.read:
            return self.problem or "Loading…"
        none = _NONE_AT_ALL if self.everywhere else _NONE
        return "" if self.known else none

    def groups(self, rows: Iterable[RunRow]) -> list[Group]:
        """What is listed, given the runs there are."""
        found = [self._verified.get(_key(one), one) for one in self.known]
        runs = {row.run_id: row for row in rows}
        if self.everywhere:
            return by_kind(found, focus=self.run_id, capabilities=self._capabilities, runs=runs)
        row = runs.get(self.run_id or "")
        name = row.name if row is not None and row.name else self.run_id or ""
        return by_run(found, name=name, capabilities=self._capabilities, runs=runs)


def card(known: Known, *, capabilities: Capabilities | None, newest: bool = False) -> Card:
    """A checkpoint in words; without capabilities its runner is not installed here."""
    row = known.row
    return Card(
        known=known,
        title="-" if row.step is None else text.count(row.step),
        reason=text.visible(known.reason or row.kind or "saved"),
        return_=_return(known),
        saved=clock(row.t),
        size="-" if row.bytes is None else text.size(row.bytes),
        state=_state(known),
        good=known.usable,
        newest=newest,
        cannot_evaluate=_refusal(known, capabilities, "evaluate", can=lambda has: has.supports_eval),
        cannot_train=_refusal(known, capabilities, "train", can=lambda has: has.supports_warmstart),
        about=_about(known),
    )


def by_run(
    found: Iterable[Known], *, name: str, capabilities: Mapping[str, Capabilities], runs: Mapping[str, RunRow]
) -> list[Group]:
    """The checkpoints of one run under its name."""
    known = list(found)
    return [_group(text.visible(name), known, capabilities=capabilities, runs=runs)] if known else []


def by_kind(
    found: Iterable[Known],
    *,
    focus: str | None,
    capabilities: Mapping[str, Capabilities],
    runs: Mapping[str, RunRow],
) -> list[Group]:
    """The checkpoints of all runs by environment and algorithm; the focus' kind, and its own, come first."""
    kinds: dict[tuple[str, str], list[Known]] = {}
    for known in found:
        kinds.setdefault((known.env_id, known.algorithm), []).append(known)
    groups = []
    for (env, algorithm), members in kinds.items():
        members.sort(key=lambda known: known.run_id != focus)  # stable: newest first otherwise
        title = " · ".join(text.visible(part) for part in (env, algorithm) if part) or "Other files"
        first = any(known.run_id == focus for known in members)
        groups.append((not first, title, _group(title, members, capabilities=capabilities, runs=runs)))
    return [group for _, _, group in sorted(groups, key=lambda one: one[:2])]


def _group(
    title: str,
    members: Sequence[Known],
    *,
    capabilities: Mapping[str, Capabilities],
    runs: Mapping[str, RunRow],
) -> Group:
    well = [known for known in members if known.usable and _went_well(runs.get(known.run_id))]
    newest = max(well, key=lambda known: (known.row.t, known.row.seq), default=None)
    return Group(
        title=title,
        cards=tuple(
            card(known, capabilities=capabilities.get(known.runner), newest=known is newest)
            for known in members
        ),
    )


def _key(known: Known) -> tuple[str, int, str]:
    return known.run_id, known.row.seq, str(known.path)


def _went_well(row: RunRow | None) -> bool:
    return row is not None and row.state in (RunState.FINISHED, RunState.RUNNING, RunState.STOPPED)


def _state(known: Known) -> str:
    if known.note:
        return text.visible(known.note)
    whole = {True: "intact", False: "damaged", None: "not verified"}[known.intact]
    return whole if known.trusted else f"{whole}, not trusted"


def _return(known: Known) -> str:
    metrics = known.row.meta.get("metrics")
    if not isinstance(metrics, dict):
        return "-"
    for name in _RETURNS:
        value = metrics.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return text.number(float(value)) if math.isfinite(value) else str(value)
    return "-"


def _refusal(
    known: Known, has: Capabilities | None, what: str, *, can: Callable[[Capabilities], bool]
) -> str:
    if not known.usable:
        act = "evaluate" if what == "evaluate" else "train from"
        return f"There is nothing to {act}: {known.note or 'its bytes are not the recorded ones'}."
    if known.runner in ("", COMMAND_RUNNER):
        why = "It was saved by a plain script: MOSAIC does not know how to load it."
        return (
            f"{why} A command of yours can play it: {text.visible(known.played_by)}"
            if what == "evaluate"
            else why
        )
    if has is None:
        return f"The runner {known.runner} is not installed here. See: mosaic runners"
    if not can(has):
        doing = "evaluate checkpoints" if what == "evaluate" else "train from a checkpoint"
        return f"The runner {known.runner} cannot {doing}."
    return ""


def _about(known: Known) -> tuple[tuple[str, str], ...]:
    lines = [
        ("Run", known.run_name or known.run_id or "-"),
        ("File", str(known.path)),
        ("SHA-256", known.row.sha256 or "not recorded"),
    ]
    for label, name in (("Holds", "holds"), ("Lacks", "lacks")):
        parts = known.row.meta.get(name)
        if isinstance(parts, list) and parts:
            lines.append((label, ", ".join(str(part) for part in parts)))
    metrics = known.row.meta.get("metrics")
    if isinstance(metrics, dict) and metrics:
        lines.append(("Metrics", ", ".join(f"{name} {value}" for name, value in metrics.items())))
    return tuple((label, text.visible(line)) for label, line in lines)
