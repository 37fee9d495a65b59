"""What would be played: the environment, who sits where, how fast, and whether it can work. Qt-free.

Like the form of a training: what is typed stays, a check that answers for what was typed before is passed
over, and what was checked is what is started. Starts nothing itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from mosaic.errors import UsageError
from mosaic.protocol.parameters import Parameter
from mosaic.protocol.sessions import EVERYBODY, UNTIL_LEFT, OperatorCard
from mosaic.ui.launch.model.basics import parse_env_arguments, parse_name, parse_seeds
from mosaic.ui.launch.model.form import Form
from mosaic.ui.shell.model.signal import Signal
from mosaic_worker.common.hands import PERSON

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mosaic.app.training import Plan
    from mosaic.protocol.cards import Check

__all__ = ["BOARDS", "Kept", "OperatorEntry", "SeatChoice", "Setup", "Wanted", "Who"]

Who = Literal["human", "hybrid"]
Kept = dict[str, str]
"""What is typed, as text: the fields that differ from their defaults, and the seats."""
BOARDS = (
    "pettingzoo.classic.connect_four_v3",
    "pettingzoo.classic.tictactoe_v3",
    "pettingzoo.classic.chess_v6",
    "pettingzoo.classic.go_v5",
    "pettingzoo.classic.texas_holdem_v4",
    "pettingzoo.butterfly.pistonball_v6",
)
"""Environments of several agents, offered while typing."""
_ZOO = re.compile(r"pettingzoo[./]\w+[./]\w+_v\d+")
_CHECKPOINT = "checkpoint"
_MOST_SEATS = 16
_LABELS = {
    "env_id": "Environment",
    "seeds": "Seeds",
    "pace": "Pace",
    "fps": "Steps a second",
    "you": "You play",
    "env_arguments": "Environment arguments",
    "max_steps": "Most steps",
    "parallel": "All act at once",
    "name": "Name",
}
_FIELDS = (
    Parameter(
        name="env_id",
        type="str",
        default="FrozenLake-v1",
        help="A Gymnasium id, or a PettingZoo module such as pettingzoo.classic.connect_four_v3.",
    ),
    Parameter(
        name="you",
        type="str",
        default="player_0",
        help="The agent you decide for, where there are several. Empty: all of them.",
    ),
    Parameter(name="seeds", type="str", default="1", help="One episode with each: 3, 1-5 or 1,2,7."),
    Parameter(
        name="pace",
        type="choice",
        default="what suits it",
        choices=["what suits it", "turn", "tick", "free"],
        help="turn: each step waits for you. tick: steps come in time, whether or not a key is pressed. "
        "free: as fast as it goes.",
    ),
    Parameter(
        name="fps",
        type="float",
        default=None,
        optional=True,
        minimum=0.01,
        maximum=10_000,
        help="Under a tick, and between the turns of operators.",
        advanced=True,
    ),
    Parameter(
        name="env_arguments",
        type="str",
        default="",
        help="What the environment is made with, such as is_slippery=false. Separate several with spaces.",
        advanced=True,
    ),
    Parameter(
        name="max_steps",
        type="int",
        default=None,
        optional=True,
        minimum=1,
        help="Cut episodes after so many steps.",
        advanced=True,
    ),
    Parameter(
        name="parallel",
        type="bool",
        default=False,
        help="PettingZoo's parallel interface: all agents act at once.",
        advanced=True,
    ),
    Parameter(name="name", type="str", default="", help="A name to find the run by.", advanced=True),
)


@dataclass(frozen=True, kw_only=True)
class OperatorEntry:
    """One kind of operator: its card, or why it cannot be used."""

    id: str
    card: OperatorCard | None
    problem: str = ""

    @property
    def title(self) -> str:
        """What the list says."""
        return self.card.title if self.card is not None else self.id

    @property
    def asks_for(self) -> str:
        """What is typed besides the kind, such as `FILE.py`; empty for nothing."""
        if self.card is None:
            return ""
        return self.card.form if self.id == _CHECKPOINT else self.card.form.partition(":")[2]


@dataclass(frozen=True)
class SeatChoice:
    """Who decides for an actor: a kind of operator, and what is typed for it."""

    actor: str = EVERYBODY
    operator: str = "random"
    argument: str = ""

    @property
    def said(self) -> str:
        """As people type it on the command line."""
        argument = self.argument.strip()
        if self.operator == _CHECKPOINT:
            return argument
        return f"{self.operator}:{argument}" if argument else self.operator


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A session to be checked: the arguments of `mosaic.app.playing.plan`."""

    env_id: str
    seats: dict[str, str]
    asked: dict[str, Any]
    name: str


class Setup:
    """The form of a session.

    Args:
        who: `human`: you play. `hybrid`: operators play, and you may take over.
        convert: text to value, for one parameter; raises `UsageError` with the reason.
        kept: what was typed another time.
    """

    def __init__(
        self, who: Who, *, convert: Callable[[Parameter, str], Any], kept: Mapping[str, str] | None = None
    ) -> None:
        self.changed: Signal[[]] = Signal()
        """What would be played changed: it must be checked again."""
        self.arranged: Signal[[]] = Signal()
        """Other seats, operators or parameters are to be shown."""
        self.checked: Signal[[]] = Signal()
        """The check, or whether a start is under way, stands otherwise."""
        self.who = who
        self.operators: list[OperatorEntry] = []
        self.seats = [SeatChoice()]
        self.basics = Form(_fields(who), convert=_special(convert), labels=_LABELS)
        self.parameters = Form((), convert=convert)
        self.plan: Plan | None = None
        self.check_failed = ""
        self.checking = self.starting = False
        self.problem = ""
        self._convert = convert
        self._number = 0
        self.basics.changed.connect(lambda _: self._touch())
        self._recall(kept or {})

    # -- what is chosen ----------------------------------------------------------------------------

    def offer(self, operators: Sequence[OperatorEntry]) -> None:
        """These are the operators there are."""
        self.operators = list(operators)
        self._arrange()

    def entry(self, operator: str) -> OperatorEntry | None:
        """One kind of operator."""
        return next((one for one in self.operators if one.id == operator), None)

    @property
    def is_zoo(self) -> bool:
        """Whether the environment has agents of its own."""
        return _ZOO.fullmatch(self.basics.text("env_id").strip()) is not None

    @property
    def others(self) -> bool:
        """Whether anybody but the person plays, so that there are seats to fill."""
        return self.who == "hybrid" or (self.is_zoo and bool(self.basics.text("you").strip()))

    def put(
        self, at: int, *, actor: str | None = None, operator: str | None = None, argument: str | None = None
    ) -> None:
        """Change one seat."""
        before = self.seats[at]
        after = SeatChoice(
            before.actor if actor is None else actor,
            before.operator if operator is None else operator,
            before.argument if argument is None else argument,
        )
        if operator is not None and operator != before.operator and argument is None:
            after = SeatChoice(after.actor, after.operator, "")
        self.seats[at] = after
        if operator is not None:
            self._arrange()
        else:
            self._touch()

    def add(self) -> None:
        """One more seat, for an agent that is named; beyond 16 nothing happens."""
        if len(self.seats) < _MOST_SEATS:
            self.seats.append(SeatChoice(actor=f"player_{len(self.seats) - 1}"))
            self._arrange()

    def remove(self, at: int) -> None:
        """Take a seat away; everybody's stays."""
        if at > 0:
            del self.seats[at]
            self._arrange()

    @property
    def sitting(self) -> dict[str, str]:
        """An operator for each actor, as people type it."""
        if not self.others:
            return {EVERYBODY: PERSON}
        shown = self.seats if self.is_zoo else self.seats[:1]
        if self.who == "human":
            return {self.basics.text("you").strip(): PERSON, EVERYBODY: shown[0].said}
        return {seat.actor.strip() or EVERYBODY: seat.said for seat in shown}

    # -- whether it can work -----------------------------------------------------------------------

    @property
    def form_problem(self) -> str:
        """The first thing typed that cannot be taken, and why."""
        for form in (self.basics, self.parameters):
            for name, problem in form.problems.items():
                label = form.field(name).label
                return problem if problem.startswith(label) else f"{label}: {problem}"
        if self.others:
            for seat in self.seats if self.is_zoo else self.seats[:1]:
                entry = self.entry(seat.operator)
                if entry is not None and entry.problem:
                    return f"{entry.id} cannot be used: {entry.problem}"
                if entry is not None and entry.asks_for and not seat.argument.strip():
                    return f"{entry.title}: name {entry.asks_for}"
        return ""

    def ask(self) -> tuple[int, Wanted] | None:
        """What is to be checked, with a number for the answer; None when that is nothing yet."""
        if not self.operators or self.form_problem:
            return None
        basics = self.basics
        pace = basics.value("pace")
        seeds = basics.value("seeds")
        parameters = {f"env.{key}": value for key, value in basics.value("env_arguments").items()}
        parameters |= {f"op.{key}": value for key, value in self.parameters.values().items()}
        asked = {
            "seeds": seeds or list(range(UNTIL_LEFT if self.who == "human" else 1)),
            "parameters": parameters,
            "pace": pace if pace in ("turn", "tick", "free") else None,
            "fps": basics.value("fps"),
            "max_steps": basics.value("max_steps"),
            "parallel": basics.value("parallel"),
        }
        told = {key: value for key, value in asked.items() if value is not None}
        return self._number, Wanted(
            env_id=basics.value("env_id"), seats=self.sitting, asked=told, name=basics.value("name")
        )

    def answer(self, number: int, *, plan: Plan | None = None, failed: str = "") -> None:
        """What the check found, or why it could not look; an outdated answer is passed over."""
        if number == self._number:
            self.plan, self.check_failed, self.checking = plan, failed, False
            self.checked.emit()

    @property
    def checks(self) -> list[Check]:
        """What was looked at."""
        return [] if self.plan is None else self.plan.checks

    @property
    def blocked(self) -> str:
        """Why it cannot be played now; empty when it can."""
        if not self.operators:
            return "Looking for operators…"
        if self.form_problem or self.check_failed:
            return self.form_problem or self.check_failed
        if self.starting:
            return "Starting…"
        if self.checking or self.plan is None:
            return "Checking whether this can work…"
        failed = next((check for check in self.checks if check.level == "fail"), None)
        return "" if failed is None else f"{failed.name}: {failed.text}"

    def begin(self) -> None:
        """A start is under way."""
        self.starting, self.problem = True, ""
        self.checked.emit()

    def end(self, *, problem: str = "") -> None:
        """It was started, or refused for this reason. What is typed stays."""
        self.starting, self.problem = False, problem
        self.checked.emit()

    # -- what is remembered ------------------------------------------------------------------------

    @property
    def kept(self) -> Kept:
        """What is typed, for the next time."""
        found = {**self.basics.differing, **{f"op.{k}": v for k, v in self.parameters.differing.items()}}
        for at, seat in enumerate(self.seats):
            found |= {f"seat.{at}.{name}": getattr(seat, name) for name in ("actor", "operator", "argument")}
        return found

    def _recall(self, kept: Mapping[str, str]) -> None:
        self.basics.restore({key: text for key, text in kept.items() if key in self.basics})
        self._typed = {key[3:]: text for key, text in kept.items() if key.startswith("op.")}
        seats: list[SeatChoice] = []
        while len(seats) < _MOST_SEATS and f"seat.{len(seats)}.operator" in kept:
            told = {
                name: kept.get(f"seat.{len(seats)}.{name}", "") for name in ("actor", "operator", "argument")
            }
            seats.append(SeatChoice(**told))
        self.seats = seats or self.seats

    def _arrange(self) -> None:
        """The parameters of the operators that are chosen now; those that stay keep what was typed."""
        self._typed |= self.parameters.differing
        chosen = [self.entry(seat.operator) for seat in self.seats] if self.others else []
        found = {one.name: one for entry in chosen if entry and entry.card for one in entry.card.parameters}
        if tuple(found) != self.parameters.names:
            self.parameters = Form(list(found.values()), convert=self._convert)
            for name in found:
                if name in self._typed:
                    self.parameters.set(name, self._typed[name])
            self.parameters.changed.connect(lambda _: self._touch())
        self.arranged.emit()
        self._touch()

    def _touch(self) -> None:
        self._number += 1
        self.plan, self.check_failed, self.problem = None, "", ""
        self.checking = self.ask() is not None
        self.changed.emit()
        self.checked.emit()


def _fields(who: Who) -> list[Parameter]:
    """The fields of a form: a person chooses a seat, and plays on until they have had enough."""
    if who == "hybrid":
        return [one for one in _FIELDS if one.name != "you"]
    ends = {"default": "", "help": "One episode with each: 3, 1-5 or 1,2,7. Empty: until you stop."}
    return [msgspec.structs.replace(one, **ends) if one.name == "seeds" else one for one in _FIELDS]


def _special(convert: Callable[[Parameter, str], Any]) -> Callable[[Parameter, str], Any]:
    """The fields that are more than a number or a text."""

    def value_of(parameter: Parameter, text: str) -> Any:
        if parameter.name == "env_id" and (not text.strip() or " " in text.strip()):
            raise UsageError("name an environment, such as CartPole-v1")
        if parameter.name == "env_id":
            return text.strip()
        if parameter.name == "seeds":
            return parse_seeds(text)
        if parameter.name == "env_arguments":
            return parse_env_arguments(text)
        return parse_name(text) if parameter.name == "name" else convert(parameter, text)

    return value_of
