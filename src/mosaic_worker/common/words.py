"""One table of what a job says on a driver's command line, for both sides of that line. Pure.

The workbench writes a job as words (`write`), a driver reads them back (`parse`). The options of `mosaic
train` and `mosaic eval`, the launch form, and what a resumed training takes over come from the same table. So
a new field of a job is one line of FIELDS, one field of `Words` and one of `mosaic.protocol.cards.Job`; tests
compare the three. Refuses flags that are not in the table. Imports no framework.

Words are `train|eval|play`, then flags with one value each, then `key=value` parameters; `env.KEY=VALUE` is
an argument of the environment itself.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Protocol, Sequence, Tuple

from mosaic_worker.common.literals import ENV_PREFIX, literal, word

__all__ = ["FIELDS", "KINDS", "Field", "Refused", "Words", "Writable", "asked", "parse", "write"]

KINDS = ("train", "eval", "play")
"""A driver trains, evaluates, or plays: decides in a session of another interpreter."""
_TRAIN = ("train",)


class Refused(Exception):  # noqa: N818  (it is an answer, and its text says why)
    """The job cannot be done as asked. The text says what was seen and the way out."""


class Field(NamedTuple):
    """One field of a job, and everything that is derived from it."""

    name: str
    """As `Job` calls it."""
    flag: str
    """As a driver's command line and the options of `mosaic train` call it; `Words` without the dashes."""
    type: Callable[[str], Any] = str
    """`str` or `int`."""
    kinds: Tuple[str, ...] = KINDS
    """The kinds of job in which a driver is told it."""
    asked: Tuple[str, ...] = ()
    """Where people may fill it in: options of `train` and `eval`, the launch `form`. Else MOSAIC does."""
    default: Any = None
    """What `Job` has when nobody says anything; then a driver is told nothing either."""
    minimum: Optional[int] = None
    inherited: bool = False
    """Whether a training that resumes a run takes it from that run, unless it says otherwise."""
    needs: str = ""
    """What a runner's card must promise before the form offers it: `needs_env`, or a capability."""
    help: str = ""
    label: str = ""
    """As the form calls it."""
    metavar: str = ""
    short: str = ""
    advanced: bool = False
    """Whether the form shows it only to those who ask for more."""


FIELDS: Tuple[Field, ...] = (
    Field("algorithm", "--algo", default="", inherited=True),
    Field(
        "env_id", "--env", asked=("eval", "form"), default="", inherited=True, needs="needs_env",
        metavar="ID", label="Environment", help="A Gymnasium id, such as CartPole-v1.",
    ),
    Field("seed", "--seed", int, asked=("train", "eval"), minimum=0, help="The seed of the training."),
    Field(
        "steps", "--steps", int, kinds=_TRAIN, asked=("train", "form"), minimum=1, short="-n",
        label="Steps", help="How many steps it trains for; the algorithm has a default.",
    ),
    Field(
        "envs", "--envs", int, kinds=_TRAIN, asked=("train", "form"), default=1, minimum=1, inherited=True,
        needs="supports_vector", label="Environments at once",
        help="How many copies of the environment it steps.",
    ),
    Field(
        "init", "--init", kinds=_TRAIN, asked=("train", "form"), needs="supports_warmstart",
        metavar="CHECKPOINT", label="Start from", advanced=True,
        help="A checkpoint whose weights the training starts from: a path, or RUN@STEP, or RUN:best.",
    ),
    Field(
        "resume", "--resume", kinds=_TRAIN, asked=("train", "form"), needs="supports_resume", metavar="RUN",
        label="Resume", advanced=True, help="A stopped training to resume: its name or id.",
    ),
    Field(
        "checkout", "--checkout", asked=("train", "eval"), default="", inherited=True, metavar="PATH",
        help="Where the runner's scripts lie, if it finds its algorithms in a checkout.",
    ),
    Field("checkpoint", "--checkpoint"),
    Field("sha256", "--sha256"),
    Field(
        "episodes", "--episodes", int, kinds=("eval",), asked=("eval",), minimum=1, short="-n",
        help="How many episodes it plays.",
    ),
)  # fmt: skip
_BY_FLAG = {field.flag: field for field in FIELDS}


class Words(NamedTuple):
    """What a driver was asked to do: the table's fields, named by their flags."""

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


class Writable(Protocol):
    """A job, as `write` needs it: these three, and an attribute for every field of the table."""

    @property
    def kind(self) -> str:
        """One of `KINDS`."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What differs from the algorithm's defaults; `env.KEY` for the environment."""

    @property
    def arguments(self) -> Sequence[str]:
        """Words that follow as they are."""


def asked(where: str) -> List[Field]:
    """The fields people may fill in there: `train`, `eval` or `form`."""
    return [field for field in FIELDS if where in field.asked]


def write(job: Writable) -> List[str]:
    """A job as a driver reads it: `train --algo A --env E --seed S --steps N key=value …`."""
    words = [job.kind]
    for field in FIELDS:
        value = getattr(job, field.name)
        if job.kind in field.kinds and value not in (None, "", field.default):
            words += [field.flag, str(value)]
    words += [f"{name}={word(value)}" for name, value in job.parameters.items()]
    return words + list(job.arguments)


def parse(words: Sequence[str]) -> Words:
    """The job in a command line.

    Raises:
        Refused: a word is missing, unknown or of the wrong type.
    """
    rest = list(words)
    kind = rest.pop(0) if rest else ""
    if kind not in KINDS:
        raise Refused(f"the first word is one of {', '.join(KINDS)}, not {kind!r}")
    said: Dict[str, Any] = {"kind": kind}
    parameters: Dict[str, Any] = {}
    env_arguments: Dict[str, Any] = {}
    while rest:
        one = rest.pop(0)
        if one in _BY_FLAG:
            if not rest:
                raise Refused(f"{one} needs a value")
            said[one[2:]] = _typed(_BY_FLAG[one], rest.pop(0))
            continue
        key, sign, value = one.partition("=")
        if not sign or not key or one.startswith("-"):
            raise Refused(f"cannot read {one!r}: flags are {' '.join(_BY_FLAG)}, parameters are key=value")
        if key.startswith(ENV_PREFIX):
            env_arguments[key[len(ENV_PREFIX) :]] = literal(value)
        else:
            parameters[key] = literal(value)
    found = Words(parameters=parameters, env_arguments=env_arguments, **said)
    if not found.env and found.kind == "train":
        raise Refused("--env is missing: the id of a Gymnasium environment, such as CartPole-v1")
    return found


def _typed(field: Field, text: str) -> Any:
    try:
        value = field.type(text)
    except ValueError:
        raise Refused(f"{field.flag} must be a whole number, got {text!r}") from None
    if field.minimum is not None and value < field.minimum:
        raise Refused(f"{field.flag} must be at least {field.minimum}, got {value}")
    return value
