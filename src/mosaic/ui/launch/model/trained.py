"""What was trained and can be played: checkpoints, the chosen one, and the evaluation asked for. Qt-free.

It opens no checkpoint and hashes nothing. A refused evaluation or import leaves what was chosen as it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.protocol.cards import Parameter
from mosaic.protocol.runs import RunState
from mosaic.text import count, number, visible
from mosaic.ui.launch.model.basics import parse_name
from mosaic.ui.launch.model.form import Form
from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from mosaic.artifacts.checkpoints import Known

__all__ = ["Shelf", "Trained", "evaluation_form", "facts_of", "hash_lines", "score_of", "title_of"]

_BREAK = "\n"
_SUCCEEDED = frozenset({RunState.FINISHED, RunState.STOPPED})
_SCORES = ("return_mean", "mean_return", "return")
_LABELS = {"episodes": "Episodes", "seed": "Seed", "env_id": "Environment", "name": "Name"}


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """The checkpoints of one environment and algorithm, newest first."""

    env_id: str
    algorithm: str
    members: tuple[Known, ...]
    highlight: str
    """The path of the newest one of a training that ended well; empty when there is none."""


class Trained:
    """The checkpoints of a data root, and the one chosen.

    Args:
        state_of: a run's state, if the run is known.
        needs_trust: whether loading a checkpoint of this runner can run code.
    """

    def __init__(
        self, *, state_of: Callable[[str], RunState | None], needs_trust: Callable[[str], bool]
    ) -> None:
        self.changed: Signal[[]] = Signal()
        """Checkpoints came or went, another one is chosen, or the last request fared otherwise."""
        self.loaded = False
        self.problem = ""
        """Why the last request was refused; kept until something is chosen anew."""
        self.busy = ""
        """What is under way."""
        self._state_of = state_of
        self._needs_trust = needs_trust
        self._known: dict[str, Known] = {}
        self._chosen = ""

    def show(self, known: Iterable[Known], *, of: Collection[str] | None = None) -> None:
        """Take in what was found; what was checked, and files named by hand, stay as they are known.

        Args:
            known: the checkpoints.
            of: the runs that were looked at, when not all of them were; those of the others stay.
        """
        kept = {
            path: one
            for path, one in self._known.items()
            if not one.run_id or (of is not None and one.run_id not in of)
        }
        for one in known:
            if not one.pruned:
                before = self._known.get(str(one.path))
                same = before is not None and before.row == one.row and one.intact is None
                kept[str(one.path)] = before if same and before is not None else one
        self._known = kept
        self.loaded = True
        self.changed.emit()

    def forget(self, run_ids: Collection[str]) -> None:
        """These runs were deleted, and their checkpoints with them."""
        self.show((), of=run_ids)

    def update(self, one: Known) -> None:
        """One is known better now: it was hashed, or trusted."""
        if str(one.path) in self._known:
            self._known[str(one.path)] = one
            self.changed.emit()

    def add(self, one: Known, *, runner: str, algorithm: str) -> None:
        """Take in a file named by hand, and choose it; what no record says of it is what is chosen now."""
        named = msgspec.structs.replace(
            one, runner=one.runner or runner, algorithm=one.algorithm or algorithm
        )
        self._known[str(one.path)] = named
        self._chosen = str(one.path)
        self.problem, self.busy = "", ""
        self.changed.emit()

    def shelves(self, runner: str) -> list[Shelf]:
        """A runner's checkpoints, by environment and algorithm."""
        grouped: dict[tuple[str, str], list[Known]] = {}
        for one in self._known.values():
            if one.runner == runner:
                grouped.setdefault((one.env_id, one.algorithm), []).append(one)
        shelves = []
        for (env_id, algorithm), members in sorted(grouped.items()):
            members.sort(key=lambda one: (one.row.t, one.row.seq), reverse=True)
            good = (one for one in members if one.usable and self._state_of(one.run_id) in _SUCCEEDED)
            newest = next(good, None)
            shelves.append(
                Shelf(
                    env_id=env_id,
                    algorithm=algorithm,
                    members=tuple(members),
                    highlight=str(newest.path) if newest is not None else "",
                )
            )
        return shelves

    @property
    def chosen(self) -> Known | None:
        """The chosen checkpoint."""
        return self._known.get(self._chosen)

    def choose(self, path: str) -> None:
        """Choose one by its path."""
        if path != self._chosen:
            self._chosen, self.problem = path, ""
            self.changed.emit()

    def began(self, what: str) -> None:
        """Something is under way."""
        self.busy, self.problem = what, ""
        self.changed.emit()

    def ended(self, *, problem: str = "") -> None:
        """It is done, or was refused for this reason; what was chosen stays chosen."""
        self.busy, self.problem = "", problem
        self.changed.emit()

    def untrusted(self) -> bool:
        """Whether the chosen one may be loaded only once the user says so."""
        chosen = self.chosen
        return chosen is not None and not chosen.trusted and self._needs_trust(chosen.runner)

    def mismatch(self, form: Form) -> str:
        """The environment the chosen one was trained on, when another one is asked for; else empty."""
        wanted = form.text("env_id").strip()
        trained_on = self.chosen.env_id if self.chosen is not None else ""
        return trained_on if trained_on and wanted not in ("", trained_on) else ""

    def blocked(self, form: Form, *, runner: str) -> str:
        """Why an evaluation would not work now; empty when it would."""
        if self.busy:
            return self.busy
        if not self.loaded:
            return "Looking for checkpoints…"
        chosen = self.chosen
        if chosen is None or chosen.runner != runner:
            return "Choose a checkpoint."
        for name, problem in form.problems.items():
            label = form.field(name).label
            return problem if problem.startswith(name) else f"{label}: {problem}"
        return self._refused(chosen, form)

    def _refused(self, chosen: Known, form: Form) -> str:
        if not chosen.usable:
            return f"This checkpoint cannot be used: {chosen.note}."
        if self.untrusted():
            return "Say first that you trust this file."
        if self.mismatch(form):
            return f"It was trained on {chosen.env_id}, not on {form.text('env_id').strip()}."
        if not chosen.env_id and not form.text("env_id").strip():
            return "Environment: nobody recorded what it was trained on. Name one."
        return ""


def evaluation_form(*, convert: Callable[[Parameter, str], Any], texts: Mapping[str, str]) -> Form:
    """What an evaluation is asked."""
    fields = [
        Parameter(
            name="episodes", type="int", default=10, minimum=1, maximum=100_000, help="How many it plays."
        ),
        Parameter(name="seed", type="int", default=0, minimum=0, help="The seed of its first reset."),
        Parameter(
            name="env_id",
            type="str",
            default="",
            help="The environment you mean; empty: the one the checkpoint was trained on.",
        ),
        Parameter(name="name", type="str", default="", help="A name to find the run by."),
    ]

    def value_of(parameter: Parameter, text: str) -> Any:
        return parse_name(text) if parameter.name == "name" else convert(parameter, text)

    form = Form(fields, convert=value_of, labels=_LABELS)
    for name, text in texts.items():
        form.set(name, text)
    return form


def score_of(one: Known) -> float | None:
    """How well it did when it was saved, if that was noted."""
    metrics = one.row.meta.get("metrics")
    if not isinstance(metrics, dict):
        return None
    found = next((metrics[name] for name in _SCORES if isinstance(metrics.get(name), int | float)), None)
    return None if found is None else float(found)


def title_of(one: Known) -> str:
    """What a list says about one, in a few words: why it was saved, when, and how good it is."""
    score = score_of(one)
    said = [one.reason or one.path.name]
    said += [f"step {count(one.row.step)}"] if one.row.step is not None else []
    said += [f"return {number(score)}"] if score is not None else []
    return visible(" · ".join(said))


def facts_of(one: Known) -> str:
    """What there is to know about a checkpoint before it is used; plain text, a line each."""
    meta = one.row.meta
    intact = {
        True: "matches its record",
        False: one.note or "differs from its record",
        None: "being checked…",
    }
    facts = [
        ("File", str(one.path)),
        ("SHA-256", f"\n{hash_lines(one)}" if one.row.sha256 else "not recorded"),
        ("Integrity", intact[one.intact]),
        ("Trusted", "yes" if one.trusted else "no"),
        ("Holds", ", ".join(_words(meta.get("holds"))) or "not said"),
        ("Lacks", ", ".join(_words(meta.get("lacks")))),
    ]
    return "\n".join(f"{name}: {visible(text, keep=_BREAK)}" for name, text in facts if text)


def hash_lines(one: Known) -> str:
    """The SHA-256 in two lines, so that all of it can be seen."""
    found = one.row.sha256 or ""
    return f"{found[:32]}\n{found[32:]}"


def _words(found: object) -> list[str]:
    return [str(word) for word in found] if isinstance(found, list) else []
