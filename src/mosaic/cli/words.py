"""The words of `mosaic train` that are not its own options: target, environment, parameters. Pure reading.

A parameter is written `--learning-rate 0.001`, `--learning-rate=0.001`, `learning_rate=0.001` or
`learning_rate:0.001`; a yes/no one also `--flag` and `--no-flag`. `env.KEY=VALUE` is for the environment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mosaic.errors import UsageError
from mosaic.runners.parameters import near
from mosaic_worker.common.literals import ENV_PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mosaic.protocol.cards import Algorithm

__all__ = ["Words", "read", "split_target"]

_PAIR = re.compile(r"([A-Za-z_][A-Za-z0-9_.-]*)([=:])(.*)", re.DOTALL)
_BOOLEAN = frozenset({"true", "false", "yes", "no", "on", "off", "1", "0"})
_OWN = ("seed", "seeds", "steps", "envs", "runner-arg", "name", "tag", "python", "checkout", "resume", "init")


@dataclass
class Words:
    """What the words said: the environment's id, and parameters as they were typed."""

    env_id: str = ""
    parameters: dict[str, str] = field(default_factory=dict)


def split_target(text: str) -> tuple[str, str]:
    """Runner and algorithm of `sb3/ppo`; the algorithm is empty when only the runner is named."""
    runner, _, algorithm = text.partition("/")
    return runner, algorithm


def read(words: Sequence[str], algorithm: Algorithm | None) -> Words:
    """The words after the target.

    Raises:
        UsageError: a word is none of them; says what it may have meant.
    """
    known = {parameter.name: parameter for parameter in algorithm.parameters} if algorithm else {}
    found, rest = Words(), list(words)

    def put(name: str, value: str) -> None:
        if name in found.parameters:
            raise UsageError(f"{name} is given twice")
        found.parameters[name] = value

    while rest:
        word = rest.pop(0)
        if word.startswith("--") and len(word) > 2:
            name, sign, value = word[2:].partition("=")
            plain = name.replace("-", "_")
            if sign:
                put(name, value)
            elif plain not in known and plain.startswith("no_") and plain[3:] in known:
                put(plain[3:], "false")
            elif (
                plain in known and known[plain].type == "bool" and not (rest and rest[0].lower() in _BOOLEAN)
            ):
                put(plain, "true")
            elif not rest:
                _refuse(name, known, "needs a value")
            else:
                put(name, rest.pop(0))
            continue
        pair = _PAIR.fullmatch(word)
        if pair and (pair[2] == "=" or _is_parameter(pair[1], known) or found.env_id):
            put(pair[1], pair[3])
        elif word.startswith("-") and len(word) > 1:
            raise UsageError(f"there is no option {word!r}. See: mosaic train --help")
        elif not found.env_id:
            found.env_id = word
        else:
            raise UsageError(
                f"what is {word!r}? The environment is {found.env_id}; parameters are written key=value."
            )
    return found


def _is_parameter(name: str, known: Mapping[str, object]) -> bool:
    return name.replace("-", "_") in known or name.startswith(ENV_PREFIX)


def _refuse(name: str, known: Mapping[str, object], why: str) -> None:
    if name.replace("-", "_") in known:
        raise UsageError(f"--{name} {why}")
    raise UsageError(f"there is no option or parameter {name!r}.{near(name, [*known, *_OWN])}")
