"""What a runner says of itself, and what a user asks of it. Pure data: no framework, file or process.

A *card* is read without importing the framework: form, flags and preflight are made from it. A *job* is one
filled-in card: it says everything a training, an evaluation or a
session needs, and goes into the run's manifest.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from mosaic.protocol.parameters import Parameter
from mosaic.protocol.ready import ready
from mosaic.protocol.sessions import Session  # noqa: TC001  (msgspec reads the annotations)

__all__ = [
    "COMMAND_RUNNER",
    "SESSION_RUNNER",
    "Algorithm",
    "Capabilities",
    "Check",
    "Job",
    "Level",
    "Parameter",
    "RunnerCard",
]

Level = Literal["ok", "warn", "fail"]

COMMAND_RUNNER = "script"
"""The runner of plain commands: every run has one, and this is the one of a run nobody named a runner for."""


SESSION_RUNNER = "session"
"""The runner that plays: whose job a session is."""


class Algorithm(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One way to learn. Spaces are named as Gymnasium names them; an empty list means any."""

    id: str
    title: str = ""
    help: str = ""
    parameters: list[Parameter] = []
    actions: list[str] = []
    """Of `Discrete Box MultiDiscrete MultiBinary`: what the action space may be."""
    observations: list[str] = []
    """Of `Discrete Box MultiDiscrete MultiBinary Dict Tuple Text`: what the observation space may be."""
    default_steps: int = 10_000
    default_env: str = "CartPole-v1"
    needs_action_masks: bool = False


class Capabilities(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a runner can do. Unknown means no, but for training."""

    supports_train: bool = True
    supports_warmstart: bool = False
    """Training may start from a checkpoint's weights (`--init`)."""
    supports_resume: bool = False
    """A stopped training may go on where it was (`--resume`)."""
    supports_checkpoint: bool = False
    supports_eval: bool = False
    supports_play: bool = False
    """Its checkpoints can decide in a session (`mosaic play --operator CHECKPOINT`)."""
    supports_pause: bool = False
    supports_vector: bool = False
    """Several environments at once (`--envs`)."""
    gpu: Literal["no", "optional", "required"] = "no"
    services: list[str] = []
    datasets: list[str] = []
    beliefs: bool = False
    multi_agent: bool = False


class RunnerCard(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What MOSAIC knows of a framework."""

    id: str
    title: str
    help: str = ""
    algorithms: list[Algorithm] = []
    capabilities: Capabilities = Capabilities()
    requirements: list[str] = []
    """Pinned, as pip takes them; empty: it runs in MOSAIC's own environment or in the user's."""
    torch: bool = False
    """Whether the environment needs PyTorch: installed first, held by a constraint."""
    imports: list[str] = []
    """What must be importable for the environment to count as ready."""
    needs_env: bool = True
    """Whether a job names an environment id (a plain script does not)."""
    pickled_checkpoints: bool = True
    """Whether loading its checkpoints can run code: then they must be trusted first."""
    own_members: list[str] = []
    """What the zip files hold that its framework saves by itself: a script's checkpoint that has all of them
    can be played by this runner."""
    url: str = ""


class Job(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One filled-in card. Who fills in a field, and how a driver is told it: `mosaic_worker.common.words`."""

    runner: str
    kind: Literal["train", "eval", "play", "session"] = "train"
    algorithm: str = ""
    env_id: str = ""
    seed: int | None = None
    steps: int | None = None
    envs: int = 1
    parameters: dict[str, Any] = {}
    """Only what differs from the card's defaults."""
    arguments: list[str] = []
    """Words passed on to the runner's command as they are."""
    group: str | None = None
    """Runs that belong together, such as the seeds of one question."""
    resume: str | None = None
    """The run that is resumed."""
    init: str | None = None
    """The checkpoint training starts from: an absolute path."""
    checkpoint: str | None = None
    """What is evaluated, or resumed from: an absolute path."""
    sha256: str | None = None
    """What the bytes of `checkpoint` or `init` must hash to: others are not loaded."""
    episodes: int | None = None
    """How many episodes an evaluation plays."""
    checkout: str = ""
    """Where the runner's scripts lie, for runners whose algorithms are found in a checkout."""
    session: Session | None = None
    """Who plays what, of a job that is a session."""


class Check(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a preflight: what was looked at, how it stands, and what to do about it."""

    name: str
    level: Level
    text: str
    remedy: str = ""


ready(RunnerCard, Job, Check)
