"""The events of protocol 1: what a journal line may say. Pure data.

A line is one JSON object with a `type`. Fields with their default value may be left out. Any event may carry
`seq` (a counter per producer, without holes: a missing number is a lost line) and `t` (wall time in seconds).
`action` and `obs` hold any JSON value; arrays travel as `{"nd": dtype, "shape": [...], "b64": bytes}`, and
values over the inline limit as `{"crc32": n, "nd": dtype, "shape": [...]}`. Unknown types and fields are not
errors: `codec` keeps them.
"""

from __future__ import annotations

from typing import Any, get_args

import msgspec
from msgspec import UNSET, Raw, UnsetType

from mosaic.protocol.floats import JsonFloat  # noqa: TC001  (msgspec reads the annotations)

__all__ = [
    "DECISION",
    "EVENT_TYPES",
    "LATER_FIELDS",
    "PROTOCOL_VERSION",
    "Artifacts",
    "Belief",
    "Bye",
    "Checkpoint",
    "Config",
    "Decision",
    "Episode",
    "Event",
    "Hello",
    "Log",
    "Metric",
    "Reset",
    "Step",
]

PROTOCOL_VERSION = 1

_NULL = Raw(b"null")


class _Event(msgspec.Struct, tag_field="type", kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    seq: int | None = None
    t: JsonFloat = 0.0


class Hello(_Event, tag="hello"):
    """First line of a producer: who writes, and in which protocol."""

    protocol: int
    producer: str
    pid: int = 0
    parent_pid: int = 0
    python: str = ""
    executable: str = ""
    argv: list[str] = []
    packages: dict[str, str] = {}


class Config(_Event, tag="config"):
    """What the run was told: hyperparameters, seeds, algorithm. Later ones add to earlier ones."""

    run_id: str | None = None
    algo: str | None = None
    env_id: str | None = None
    seed: int | None = None
    args: dict[str, Any] = {}


class Reset(_Event, tag="reset"):
    """An episode begins. Carries what re-simulation needs.

    `env` describes how to build the environment: `{"api", "id", "kwargs", "entry_point", "module",
    "versions", "spaces", "num_envs"}`. It is written at the first reset of an `env_key` of a producer
    and when it changes, and holds for the later ones. `rng` is the generator's state just before the
    reset. `group` ties together the episodes of one multi-agent environment, or of one vector environment.
    `role` says what the episode is for, `train` or `eval`; without it, or with any other text, nobody knows.
    `attributes` are those the script has changed since the first reset, `attributes_unrecorded` the ones of
    these that are not plain data.
    """

    episode_id: str
    env_key: str = ""
    env_index: int = 0
    agent_id: str | None = None
    group: str | None = None
    env: dict[str, Any] | None = None
    seed: int | None = None
    seeded: bool = False
    options: Any = None
    rng: Any = None
    obs: Raw = _NULL
    role: str | None = None
    attributes: dict[str, Any] | None = None
    attributes_unrecorded: list[str] = []


class Step(_Event, tag="step", gc=False):
    """One action and what came of it. `step` counts from 0; `obs` is what the action led to.

    `rewards` are the components of a reward that is a vector; `reward` then is their sum.
    """

    episode_id: str
    step: int
    action: Raw = _NULL
    reward: JsonFloat = 0.0
    terminated: bool = False
    truncated: bool = False
    obs: Raw = _NULL
    agent_id: str | None = None
    turn: int | None = None
    rewards: Raw = _NULL


class Episode(_Event, tag="episode"):
    """An episode ended. `outcome`: terminated, truncated, or cut (a reset or the run's end came first)."""

    episode_id: str
    steps: int
    return_: JsonFloat = msgspec.field(name="return", default=0.0)
    outcome: str | None = None
    t_start: JsonFloat | None = None
    t_end: JsonFloat | None = None
    env_index: int | UnsetType = UNSET
    agent_id: str | None = None
    seed: int | None = None


class Metric(_Event, tag="metric"):
    """One scalar under the name its source gave it. `step` is the source's own x value."""

    name: str
    value: JsonFloat
    step: int | None = None
    source: str | None = None


class Checkpoint(_Event, tag="checkpoint"):
    """A file a policy was saved to. Listed and hashed, never opened by us."""

    path: str
    sha256: str | None = None
    bytes: int | None = None
    step: int | None = None
    kind: str | None = None
    meta: dict[str, Any] = {}


class Artifacts(_Event, tag="artifacts"):
    """Files and pages a run leaves: videos, TensorBoard folders, W&B pages."""

    run_id: str | None = None
    video: str | list[str] | None = None
    tensorboard: str | None = None
    wandb_url: str | None = None
    files: list[str] = []


class Decision(_Event, tag="decision"):
    """Who decided what, and why. Written before the step it is about.

    An `operator` proposes an action; a supervisor (`by`) may allow, replace or veto it (`verdict`) with a
    `reason`; the environment is given the `executed` one. `ms` is how long deciding took. `data` holds
    what else is known: text, scores, tokens, cost.
    """

    episode_id: str | None = None
    step: int | None = None
    agent_id: str | None = None
    operator: str | None = None
    proposed: Any = None
    executed: Any = None
    verdict: str | None = None
    by: str | None = None
    reason: str | None = None
    ms: JsonFloat | None = None
    data: Any = None


DECISION = str(Decision.__struct_config__.tag)
"""What decisions are asked for by."""


class Belief(_Event, tag="belief"):
    """What a BDI agent holds true: all of it (`data`), or what changed since the last one.

    `add` and `del` are the beliefs that came and went, `chosen` is the plan that was taken up, `intentions`
    are those the agent has now.
    """

    episode_id: str | None = None
    step: int | None = None
    agent_id: str | None = None
    add: list[Any] = []
    del_: list[Any] = msgspec.field(name="del", default_factory=list)
    chosen: Any = None
    intentions: list[Any] = []
    data: Any = None


class Log(_Event, tag="log"):
    """A line of text for people."""

    text: str
    level: str = "info"


class Bye(_Event, tag="bye"):
    """A producer closed in good order. `hook_errors` counts what our own hooks failed at."""

    reason: str = ""
    events: int | None = None
    hook_errors: dict[str, int] = {}


Event = (
    Hello | Config | Reset | Step | Episode | Metric | Checkpoint | Artifacts | Decision | Belief | Log | Bye
)

LATER_FIELDS: dict[type[_Event], tuple[str, ...]] = {
    Reset: ("role", "attributes", "attributes_unrecorded"),
    Step: ("rewards",),
    Decision: ("proposed", "executed", "verdict", "by", "reason", "ms"),
    Belief: ("add", "del", "chosen", "intentions"),
}
"""Fields that a kind has got since version 0.1, by their names in JSON. A journal of before may hold anything
under such a name: `codec` then takes it for a field that it does not know."""

EVENT_TYPES: dict[str, type[_Event]] = {str(cls.__struct_config__.tag): cls for cls in get_args(Event)}
"""Each kind of event by its `type`. Which of them are kept where, `mosaic.store.kinds` says."""
