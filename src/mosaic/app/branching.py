"""A new run that continues a recorded episode from one of its steps. Blocks until it is submitted.

Any operator that a session can seat goes on. What cannot work starts nothing: no such operator, agent or
step, or an episode that does not come out as recorded.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec

from mosaic.app import playing, reading, submitting
from mosaic.errors import UsageError
from mosaic.protocol.sessions import EVERYBODY
from mosaic.runs.ids import new_run_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Unpack

    from mosaic.paths import DataRoot
    from mosaic.protocol.runs import RunSpec
    from mosaic.replay.branch import Going
    from mosaic.store.reader import StoreReader

__all__ = ["How", "branch"]


class How(TypedDict, total=False):
    """What may be said of a branch besides who goes on. All of it may be left out."""

    parameters: Mapping[str, Any]
    """`op.KEY` for the operators that have it."""
    seed: int
    """Of the operators."""
    max_steps: int | None
    """How many steps more, at most; None for 10,000."""
    fps: float | None
    on_failure: str
    deadline_secs: float
    name: str
    tags: Mapping[str, str]
    allowed: Sequence[str]
    python: str | None


def branch(
    root: DataRoot,
    run_id: str,
    episode: int | str,
    step: int,
    *,
    seats: Mapping[str, str] | None = None,
    ask: Callable[[Callable[[StoreReader], RunSpec]], RunSpec] | None = None,
    say: Callable[[str], None] = lambda _: None,
    **how: Unpack[How],
) -> str:
    """Start a run that plays the episode up to a step and then goes its own way. The new run's id.

    Args:
        root: the data root.
        run_id: the run to branch from.
        episode: one of its episodes, by index or id.
        step: how many of its steps are played as recorded.
        seats: an operator for each actor, as people type it; `EVERYBODY` for all that are not named. By
            default `random` for everybody.
        ask: what puts a question to the run's store, for those who want to say what they wait for.
        say: told what takes its time.
        how: how it goes on, and what it is called.

    Raises:
        UsageError: there is no such episode, step, operator or agent.
        ReplayError: the episode does not replay exactly up to that step.
        DaemonError: the daemon cannot be reached or started.

    Example:
        >>> branch(root, run_id, 7, 40, seats={"*": "last:best"}, on_failure="random")
    """
    from mosaic.replay.branch import environment_at, plan_branch
    from mosaic.replay.interpreter import environment

    new = new_run_id()

    def question(reader: StoreReader) -> RunSpec:
        going = _going(
            root, seats or {EVERYBODY: "random"}, how, env_id=environment_at(reader, episode), say=say
        )
        return plan_branch(
            root.run(run_id),
            reader,
            episode,
            step,
            run_id=new,
            going=going,
            name=how.get("name", ""),
            tags=how.get("tags", {}),
            allowed=how.get("allowed", ()),
            python=how.get("python"),
        )

    spec = reading.ask(root, run_id, question) if ask is None else ask(question)
    submitting.submit(root, spec, environment(os.environ))
    return new


def _going(
    root: DataRoot, seats: Mapping[str, str], how: How, *, env_id: str, say: Callable[[str], None]
) -> Going:
    from mosaic.replay.branch import Going

    given = {name.removeprefix("op."): value for name, value in (how.get("parameters") or {}).items()}
    used: set[str] = set()
    described = {
        actor: playing.seat_of(root, text, given, used=used, env_id=env_id, say=say)[0]
        for actor, text in seats.items()
    }
    unused = sorted(set(given) - used)
    if unused:
        raise UsageError(
            f"no operator in these seats has a parameter {unused[0]!r}: mosaic operators show NAME"
        )
    told: dict[str, Any] = {
        name: how[name]
        for name in ("seed", "max_steps", "fps", "on_failure", "deadline_secs")
        if how.get(name) is not None
    }
    try:
        return msgspec.convert({"seats": msgspec.to_builtins(described), **told}, Going)
    except msgspec.ValidationError as error:
        raise UsageError(f"a branch cannot go on like this: {error}") from None
