"""A branch: a new run that goes on from a step of a recorded episode. Written here, run like any command.

The new run plays the recorded episode up to that step, and whatever has to come before it, through the same
hooks; so it can be replayed, and branched from, like any other.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from mosaic import worker_site
from mosaic.errors import ReplayError, UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.branches import EPISODE_TAG, STEP_TAG, Origin
from mosaic.protocol.runs import RunSpec
from mosaic.protocol.sessions import EVERYBODY, Seat
from mosaic.replay.chains import chain_of
from mosaic.replay.interpreter import interpreter_of
from mosaic.replay.resimulator import Resimulator
from mosaic.runners.parameters import near
from mosaic.runs.files import make_private, write_atomically
from mosaic.runs.folder import find_manifest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mosaic.paths import RunFolder
    from mosaic.store.reader import StoreReader

__all__ = ["Going", "check_seats", "environment_at", "plan_branch"]

_MOST_PROCESSES = 16


class Going(msgspec.Struct, frozen=True, kw_only=True):
    """How a branch goes on. The fields are those of a session, and mean the same."""

    seats: dict[str, Seat]
    """By actor; `EVERYBODY` for those that are not named."""
    seed: int = 0
    """Of the operators."""
    max_steps: Annotated[int, Meta(ge=1)] = 10_000
    """How many steps more, at most."""
    fps: Annotated[float, Meta(gt=0, le=10_000)] | None = None
    on_failure: Literal["stop", "noop", "random"] = "stop"
    deadline_secs: Annotated[float, Meta(gt=0, le=86_400)] = 30.0


def environment_at(reader: StoreReader, episode: int | str) -> str:
    """What the environment of an episode is called; empty when that was not recorded.

    Raises:
        UsageError: there is no such episode.
    """
    row = reader.episode(episode)
    env = reader.reset(row.index).get("env") or {}
    return str(env.get("id") or env.get("module") or row.env_id or "")


def plan_branch(
    folder: RunFolder,
    reader: StoreReader,
    episode: int | str,
    step: int,
    *,
    run_id: str,
    going: Going,
    name: str = "",
    tags: Mapping[str, str] = MappingProxyType({}),
    allowed: Sequence[str] = (),
    python: str | None = None,
) -> RunSpec:
    """The spec of a run that goes on from an episode's step; what it is to do is written beside the runs.

    Args:
        folder: the run to branch from.
        reader: its store.
        episode: the episode, by index or id.
        step: how many of its steps are played as recorded.
        run_id: the new run's id.
        going: who decides then, and how.
        name: the new run's name; by default that of its parent, if it has one, and the step.
        tags: its labels; ours are added.
        allowed: modules that may be imported, besides the known libraries.
        python: the interpreter to use instead of the recorded one.

    Raises:
        UsageError: there is no such step, or a seat for somebody who is not there.
        ReplayError: the episode does not replay exactly up to that step.
    """
    row = reader.episode(episode)
    if not 0 <= step <= row.steps:
        raise UsageError(
            f"episode {row.index} has {row.steps} steps: branch from 0 to {row.steps}, not {step}"
        )
    chain = chain_of(reader, row)
    check_seats(chain.env, going.seats)
    with Resimulator(folder, reader, allowed=allowed, python=python) as resimulator:
        verdict = resimulator.judge(row)
    if not verdict.exact and not (verdict.step is not None and verdict.step >= step):
        raise ReplayError(
            f"episode {row.index} {verdict.sentence()}. A branch needs the exact state of step {step}."
        )
    number = chain.number(row)
    interpreter = interpreter_of(folder, reader, producer=chain.key.partition(".")[0], python=python)
    units = [chain.unit(k) for k in range(verdict.start, number + 1)]
    played = [reader.episode(index) for unit in units for index in unit.turns_before if index < row.index]
    position = row.env_index if chain.env.get("vector") else None
    told = Origin(
        parent=folder.run_id,
        episode=row.index,
        step=step,
        episode_id=row.episode_id,
        agent_id=row.agent_id,
        position=position,
        path=interpreter.path,
        nth=sum(one.agent_id == row.agent_id and position in (None, one.env_index) for one in played),
    )
    plan = {
        "env": chain.env,
        "units": [msgspec.Raw(unit.body) for unit in units],
        "turn": units[-1].turns_before[row.index][step],
        **msgspec.to_builtins(going),
        "allowed": list(allowed),
        "path": interpreter.path,
        "told": told,
    }
    root = DataRoot(folder.path.parent.parent)
    make_private(root.branches)
    plan_path = root.branches / f"{run_id}.json"
    write_atomically(plan_path, msgspec.json.encode(plan))
    program = worker_site.install(root) / "mosaic_worker" / "replay" / "branch.py"
    return RunSpec(
        run_id=run_id,
        command=[interpreter.python, str(program), str(plan_path)],
        cwd=interpreter.cwd,
        name=name or f"{_called(folder)}-from-{step}",
        tags={**tags, EPISODE_TAG: str(row.index), STEP_TAG: str(step)},
        parent=folder.run_id,
    )


def _called(parent: RunFolder) -> str:
    manifest = find_manifest(parent)
    return (manifest and manifest.spec.name) or "branch"


def check_seats(env: dict[str, Any], seats: Mapping[str, Seat]) -> None:
    """Refuse seats of agents that the environment does not have, and too many processes.

    Raises:
        UsageError: says which, and the way out.
    """
    named = [actor for actor in seats if actor != EVERYBODY]
    positions = int(env.get("num_envs") or 1) if env.get("vector") else 0
    agents = [str(agent) for agent in env.get("agents") or ()] or [str(at) for at in range(positions)]
    if named and not agents:
        raise UsageError(f"this environment has one actor: use --operator instead of --seat {named[0]}=…")
    unknown = [actor for actor in named if actor not in agents]
    if unknown:
        raise UsageError(f"this environment has no agent {unknown[0]!r}.{near(unknown[0], agents)}")
    missing = [agent for agent in agents if agent not in seats] if EVERYBODY not in seats else []
    if missing:
        raise UsageError(
            f"nobody decides for {missing[0]}: add --seat {missing[0]}=random, or --operator for everybody"
        )
    everybody = seats.get(EVERYBODY)
    if positions > _MOST_PROCESSES and everybody is not None and everybody.argv:
        raise UsageError(
            f"{everybody.name} would be {positions} processes, one for each position of this vector "
            f"environment; at most {_MOST_PROCESSES} are started. Choose an operator without a process"
        )
