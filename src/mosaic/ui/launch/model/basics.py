"""What every training is asked, whatever the algorithm: environment, length, seeds, name. Qt-free.

The fields are parameters like any other, so one form draws them all. Those a runner has no use for are left
out: what a card does not promise is not offered.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from mosaic.app.submitting import parse_tag
from mosaic.app.training import seeds_of
from mosaic.errors import UsageError
from mosaic.protocol.cards import Algorithm, Parameter, RunnerCard
from mosaic.ui.launch.model.form import Form
from mosaic_worker.common.words import asked

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic_worker.common.words import Field

__all__ = [
    "COMMON_ENVS",
    "basics_form",
    "parse_env_arguments",
    "parse_name",
    "parse_seeds",
    "parse_tags",
    "parse_words",
]

COMMON_ENVS = (
    "CartPole-v1",
    "FrozenLake-v1",
    "FrozenLake8x8-v1",
    "Taxi-v4",
    "CliffWalking-v1",
    "Blackjack-v1",
    "Acrobot-v1",
    "MountainCar-v0",
    "MountainCarContinuous-v0",
    "Pendulum-v1",
    "LunarLander-v3",
    "LunarLanderContinuous-v3",
    "BipedalWalker-v3",
    "CarRacing-v3",
    "HalfCheetah-v5",
    "Hopper-v5",
    "Walker2d-v5",
    "Ant-v5",
    "Humanoid-v5",
    "ALE/Pong-v5",
    "ALE/Breakout-v5",
)
"""Ids offered while typing. Whether one can be made is for the preflight to find out."""

LABELS = {
    **{field.name: field.label for field in asked("form")},
    "seeds": "Seeds",
    "env_arguments": "Environment arguments",
    "name": "Name",
    "tags": "Tags",
    "arguments": "Runner arguments",
}

_MAX_SEEDS = 64
_MAX_NAME = 200
_MAX_ENVS = 256
_BESIDES = (
    Parameter(
        name="seeds",
        type="str",
        default="1",
        help="One seed, or several: 1-5, or 1,2,7. Each is a run of its own. Empty: not seeded.",
    ),
    Parameter(
        name="env_arguments",
        type="str",
        default="",
        help="What the environment is made with, such as is_slippery=false. Separate several with spaces.",
        advanced=True,
    ),
    Parameter(name="name", type="str", default="", help="A name to find the run by.", advanced=True),
    Parameter(
        name="tags", type="str", default="", help="Labels: key=value, separated by commas.", advanced=True
    ),
    Parameter(
        name="arguments",
        type="str",
        default="",
        help="Words passed on to the runner's command as they are, quoted as in a shell.",
        advanced=True,
    ),
)
"""What a run may be told that is not one field of its job."""


def basics_form(card: RunnerCard, algorithm: Algorithm, *, convert: Callable[[Parameter, str], Any]) -> Form:
    """The form of what this runner is asked besides the algorithm's own parameters."""
    fields = [_parameter(field, algorithm) for field in asked("form") if _promised(card, field.needs)]
    fields += [one for one in _BESIDES if card.needs_env or one.name != "env_arguments"]

    def value_of(parameter: Parameter, text: str) -> Any:
        special = _SPECIAL.get(parameter.name)
        return special(text) if special is not None else convert(parameter, text)

    return Form(fields, convert=value_of, labels=LABELS)


def _promised(card: RunnerCard, what: str) -> bool:
    """Whether the card says so; `needs_env` is its own word, the others are capabilities."""
    return card.needs_env if what == "needs_env" else not what or bool(getattr(card.capabilities, what))


def _parameter(field: Field, algorithm: Algorithm) -> Parameter:
    """A field of a job as a line of the form; the algorithm suggests environment and steps."""
    number = field.type is int
    unsaid = "" if field.default is None and not number else field.default
    default = {"env_id": algorithm.default_env, "steps": algorithm.default_steps}.get(field.name, unsaid)
    return Parameter(
        name=field.name,
        type="int" if number else "str",
        default=default,
        optional=default is None,
        minimum=field.minimum,
        maximum=_MAX_ENVS if field.name == "envs" else None,
        help=field.help,
        advanced=field.advanced,
    )


def parse_seeds(text: str) -> list[int]:
    """Seeds from `3`, `1-5` or `1,2,7-9`; none from an empty text.

    Raises:
        UsageError: it says something else, or a seed twice.
    """
    found = seeds_of(text) if text.strip() else []
    if len(found) > _MAX_SEEDS:
        raise UsageError(f"at most {_MAX_SEEDS} at once from here, got {len(found)}")
    return found


def parse_tags(text: str) -> dict[str, str]:
    """Tags from `key=value, key=value`.

    Raises:
        UsageError: one has no `=` or no key.
    """
    return dict(parse_tag(part.strip()) for part in text.split(",") if part.strip())


def parse_words(text: str) -> list[str]:
    """Words from a line, quoted as in a shell.

    Raises:
        UsageError: a quote is not closed.
    """
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"this is not a command line: {str(error).lower()}") from error


def parse_env_arguments(text: str) -> dict[str, str]:
    """Arguments of an environment from `key=value key=value`, quoted as in a shell.

    Raises:
        UsageError: one has no `=` or no key.
    """
    found = {}
    for word in parse_words(text):
        key, sign, value = word.partition("=")
        if not sign or not key.isidentifier():
            raise UsageError(f"write key=value, such as is_slippery=false; got {word!r}")
        found[key] = value
    return found


def parse_name(text: str) -> str:
    """A name, as runs may have one.

    Raises:
        UsageError: it cannot be one.
    """
    name = text.strip()
    if not (name.isprintable() and len(name) <= _MAX_NAME):
        raise UsageError(f"a name is one line of at most {_MAX_NAME} printable characters")
    if name == "last":
        raise UsageError("'last' always means the newest run: choose another name")
    return name


def _parse_env(text: str) -> str:
    name = text.strip()
    if not name:
        raise UsageError("name an environment, such as CartPole-v1")
    if " " in name or not name.isprintable():
        raise UsageError(f"an environment id has no spaces, got {name!r}")
    return name


_SPECIAL: dict[str, Callable[[str], Any]] = {
    "env_id": _parse_env,
    "seeds": parse_seeds,
    "tags": parse_tags,
    "arguments": parse_words,
    "env_arguments": parse_env_arguments,
    "name": parse_name,
    "init": str.strip,
    "resume": str.strip,
}
