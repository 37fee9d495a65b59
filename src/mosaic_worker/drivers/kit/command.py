"""A driver's command line: from words to one frozen job. Refuses what it does not know. Imports no framework.

Words are `train|eval`, then flags with one value each, then `key=value` parameters; `env.KEY=VALUE` is an
argument of the environment itself.
"""

from __future__ import annotations

import sys
from types import MappingProxyType
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

from mosaic_worker.common.literals import ENV_PREFIX, literal

__all__ = ["Refused", "Words", "main", "parse", "say"]

_FLAGS = {
    "--algo": str, "--env": str, "--seed": int, "--steps": int, "--envs": int, "--init": str, "--resume": str,
    "--checkpoint": str, "--episodes": int, "--sha256": str, "--checkout": str,
}  # fmt: skip


class Refused(Exception):  # noqa: N818  (it is an answer, and its text says why)
    """The job cannot be done as asked. The text says what was seen and the way out."""


class Words(NamedTuple):
    """What a driver was asked to do."""

    kind: str
    algo: str = ""
    env: str = ""
    seed: Optional[int] = None
    steps: Optional[int] = None
    envs: int = 1
    init: Optional[str] = None
    resume: Optional[str] = None
    checkpoint: Optional[str] = None
    episodes: int = 10
    sha256: Optional[str] = None
    """What the checkpoint's bytes must hash to: nothing else is loaded."""
    checkout: str = ""
    """Where the scripts of a runner lie that finds its algorithms in a checkout."""
    parameters: Mapping[str, Any] = MappingProxyType({})
    env_arguments: Mapping[str, Any] = MappingProxyType({})

    @property
    def source(self) -> Optional[str]:
        """Where a training starts: `--resume RUN --checkpoint FILE`, `--resume FILE` or `--init FILE`."""
        return (self.checkpoint or self.resume) if self.resume else self.init


def parse(words: Sequence[str]) -> Words:
    """The job in a command line.

    Raises:
        Refused: a word is missing, unknown or of the wrong type.
    """
    rest = list(words)
    kind = rest.pop(0) if rest else ""
    if kind not in ("train", "eval"):
        raise Refused(f"the first word is 'train' or 'eval', not {kind!r}")
    fields: Dict[str, Any] = {"kind": kind}
    parameters: Dict[str, Any] = {}
    env_arguments: Dict[str, Any] = {}
    while rest:
        word = rest.pop(0)
        if word in _FLAGS:
            if not rest:
                raise Refused(f"{word} needs a value")
            fields[word[2:]] = _typed(word, rest.pop(0))
            continue
        key, sign, value = word.partition("=")
        if not sign or not key or word.startswith("-"):
            raise Refused(f"cannot read {word!r}: flags are {' '.join(_FLAGS)}, parameters are key=value")
        if key.startswith(ENV_PREFIX):
            env_arguments[key[len(ENV_PREFIX) :]] = literal(value)
        else:
            parameters[key] = literal(value)
    found = Words(parameters=parameters, env_arguments=env_arguments, **fields)
    for name, least in (("steps", 1), ("envs", 1), ("episodes", 1)):
        value = getattr(found, name)
        if value is not None and value < least:
            raise Refused(f"--{name} must be at least {least}, got {value}")
    if not found.env and found.kind == "train":
        raise Refused("--env is missing: the id of a Gymnasium environment, such as CartPole-v1")
    return found


def _typed(flag: str, text: str) -> Any:
    try:
        return _FLAGS[flag](text)
    except ValueError:
        raise Refused(f"{flag} must be a whole number, got {text!r}") from None


def main(work: Callable[[Words], Optional[int]], words: Optional[List[str]] = None) -> int:
    """Run a driver: 0 when it went well; 2, with a sentence on stderr, when the job cannot be done."""
    try:
        return work(parse(sys.argv[1:] if words is None else words)) or 0
    except Refused as error:
        sys.stderr.write(f"{error}\n")
        return 2


def say(text: str) -> None:
    """One line for the person who reads the run's output."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
