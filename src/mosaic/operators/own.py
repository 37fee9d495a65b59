"""Our own operators, by the names people type. One object each; the entry points in pyproject name them."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from mosaic.errors import UsageError
from mosaic.protocol.parameters import Parameter
from mosaic.protocol.sessions import OperatorCard, Seat
from mosaic.text import os_words

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ACTIONS", "CHECKPOINT", "CMD", "NOOP", "PERSON", "PYTHON", "RANDOM"]


class _Plain:
    """An operator that needs nothing but its name."""

    def __init__(self, card: OperatorCard, kind: Literal["random", "noop", "person"]) -> None:
        self.card = card
        self._kind = kind

    def seat(self, argument: str, *, name: str, parameters: Mapping[str, Any]) -> Seat:
        """Its name says all."""
        del parameters
        if argument:
            raise UsageError(f"{self.card.id} takes nothing after a colon, got {name!r}")
        return Seat(kind=self._kind, name=name)


class _File:
    """An operator in a file."""

    def __init__(self, card: OperatorCard, kind: Literal["actions", "python"]) -> None:
        self.card = card
        self._kind = kind

    def seat(self, argument: str, *, name: str, parameters: Mapping[str, Any]) -> Seat:
        """The file, which must be there."""
        del parameters
        if not argument:
            raise UsageError(f"which file? Write {self.card.form}")
        path = Path(argument).expanduser().absolute()
        if not path.is_file():
            raise UsageError(f"{name}: there is no file {path}")
        if self._kind == "actions":
            _check_list(path)
        return Seat(kind=self._kind, name=name, path=str(path))


def _check_list(path: Path) -> None:
    try:
        found = msgspec.json.decode(path.read_bytes())
    except msgspec.DecodeError as error:
        raise UsageError(f"{path} does not hold JSON: {error}") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {os_words(error)}") from None
    if not isinstance(found, list):
        raise UsageError(f"{path} must hold a JSON list with one action for each step")


class _Program:
    card = OperatorCard(
        id="cmd",
        title="A program in any language",
        form="cmd:PROGRAM ARGUMENTS…",
        help="Started once, asked by JSON lines on its stdin, answers on its stdout; docs/operators.md has "
        "the protocol.",
        example="mosaic play CartPole-v1 --operator 'cmd:node mind.js --greedy'",
    )

    def seat(self, argument: str, *, name: str, parameters: Mapping[str, Any]) -> Seat:
        """The program, which must be there."""
        del parameters
        try:
            words = shlex.split(argument)
        except ValueError as error:
            raise UsageError(f"{name!r} is not a command line: {error}") from None
        if not words:
            raise UsageError(f"which program? Write {self.card.form}")
        program = shutil.which(words[0])
        if program is None:
            raise UsageError(f"{name}: there is no program {words[0]!r} on your PATH, and no such file")
        return Seat(kind="cmd", name=name, argv=[str(Path(program).absolute()), *words[1:]])


class _Checkpoint:
    card = OperatorCard(
        id="checkpoint",
        title="A trained policy",
        form="RUN, RUN:best, RUN:final, RUN@STEP or FILE",
        help="Decides in its runner's own interpreter, with its best actions or by drawing from its "
        "distribution; what the framework knows of a decision (probs, q, value, entropy) is recorded.",
        parameters=[
            Parameter(
                name="sample", type="bool", default=False, help="Draw actions instead of taking the best."
            )
        ],
        example="mosaic play CartPole-v1 --operator last:best op.sample=true",
    )

    def seat(self, argument: str, *, name: str, parameters: Mapping[str, Any]) -> Seat:
        """Not by a name alone: which file it is, and who can load it, the data root knows."""
        del parameters
        raise UsageError(f"name the checkpoint itself instead of {name!r}: {self.card.form}")


RANDOM = _Plain(
    OperatorCard(
        id="random",
        title="Chance",
        form="random",
        help="Any legal action, drawn evenly; seeded by the episode's seed and the seat.",
        example="mosaic play CartPole-v1 --operator random",
    ),
    "random",
)
NOOP = _Plain(
    OperatorCard(
        id="noop",
        title="Nobody",
        form="noop",
        help="The first action of a Discrete space, zeros elsewhere: the nearest to doing nothing.",
        example="mosaic play CartPole-v1 --operator noop",
    ),
    "noop",
)
PERSON = _Plain(
    OperatorCard(
        id="person",
        title="A person",
        form="person",
        help="You, by keyboard and mouse: in the desktop, or in the terminal where there is no screen. Any "
        "other operator can be relieved by a person too, at any step, until the seat is given back.",
        example="mosaic play FrozenLake-v1 --operator person",
    ),
    "person",
)
ACTIONS = _File(
    OperatorCard(
        id="actions",
        title="A list of actions",
        form="actions:FILE.json",
        help="A JSON list with one action for each step of an episode.",
        example="mosaic play FrozenLake-v1 --operator actions:path.json env.is_slippery=false",
    ),
    "actions",
)
PYTHON = _File(
    OperatorCard(
        id="python",
        title="A Python file of yours",
        form="python:FILE.py",
        help="A file with act(view), which returns an action; begin(seat) and learn(view, choice, outcome) "
        "if it likes. Runs in the session's interpreter.",
        example="mosaic play CartPole-v1 --operator python:mind.py",
    ),
    "python",
)
CMD = _Program()
CHECKPOINT = _Checkpoint()
