"""A branch: a new run that goes on from a step of a recorded episode. Written here, run like any command.

The new run plays the recorded episode up to that step, and whatever has to come before it, through the same
hooks; so it can be replayed, and branched from, like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from mosaic import worker_site
from mosaic.errors import ReplayError, UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunSpec
from mosaic.replay.chains import chain_of
from mosaic.replay.interpreter import interpreter_of
from mosaic.replay.resimulator import Resimulator
from mosaic.runs.files import make_private, write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mosaic.paths import RunFolder
    from mosaic.store.reader import StoreReader

__all__ = ["RANDOM", "plan_branch"]

RANDOM = "random"


def plan_branch(
    folder: RunFolder,
    reader: StoreReader,
    episode: int | str,
    step: int,
    *,
    run_id: str,
    actions: list[Any] | None = None,
    seed: int = 0,
    most: int = 10_000,
    name: str = "",
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
        actions: what is done then; None: random actions.
        seed: of the random actions.
        most: how many steps are taken at random, at most.
        name: the new run's name.
        allowed: modules that may be imported, besides the known libraries.
        python: the interpreter to use instead of the recorded one.

    Raises:
        UsageError: there is no such step, or actions cannot be given to this kind of environment.
        ReplayError: the episode does not replay exactly up to that step.
    """
    row = reader.episode(episode)
    if not 0 <= step <= row.steps:
        raise UsageError(
            f"episode {row.index} has {row.steps} steps: branch from 0 to {row.steps}, not {step}"
        )
    chain = chain_of(reader, row)
    if actions is not None and (chain.focus(row) or str(chain.env.get("api")) not in ("gymnasium", "gym")):
        raise UsageError("actions can be given for an environment of one agent only; use the policy 'random'")
    with Resimulator(folder, reader, allowed=allowed, python=python) as resimulator:
        verdict = resimulator.judge(row)
    if not verdict.exact and not (verdict.step is not None and verdict.step >= step):
        raise ReplayError(
            f"episode {row.index} {verdict.sentence()}. A branch needs the exact state of step {step}."
        )
    number = chain.number(row)
    interpreter = interpreter_of(folder, reader, producer=chain.key.partition(".")[0], python=python)
    told = {"parent": folder.run_id, "episode": row.index, "episode_id": row.episode_id, "step": step}
    plan = {
        "env": chain.env,
        "units": [msgspec.Raw(chain.unit(k).body) for k in range(verdict.start, number + 1)],
        "turn": chain.unit(number).turns_before[row.index][step],
        "actions": actions,
        "seed": seed,
        "most": most,
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
        name=name,
        tags={"branch.episode": str(row.index), "branch.step": str(step)},
        parent=folder.run_id,
    )
