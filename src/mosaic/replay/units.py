"""From stored rows to what a replay child needs: one reset and the turns until the next. Pure.

The shapes are those of `mosaic_worker.replay.units`; docs/replay.md lists them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.errors import ReplayError
from mosaic.protocol import floats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mosaic.protocol.rows import EpisodeRow, StepRow

__all__ = ["Part", "Unit", "aec", "dicts", "parallel", "single", "vector"]


class Part(msgspec.Struct, frozen=True):
    """One recorded episode of a unit: its row, its reset event, its steps."""

    row: EpisodeRow
    reset: dict[str, Any]
    steps: list[StepRow]


class Unit(msgspec.Struct, frozen=True):
    """A unit, ready to be sent. `turns_before[episode]`: how many turns come before each frame, 0 to n."""

    body: bytes
    turns: int
    seeded: bool
    called: bool
    turns_before: dict[int, list[int]]


def _flags(step: StepRow) -> int:
    return int(step.terminated) + 2 * int(step.truncated)


def _reward(step: StepRow) -> Any:
    """What the step was paid: a number, or the list of a vector's components."""
    return step.rewards if isinstance(step.rewards, list) else floats.to_json(step.reward)


def _reset(event: dict[str, Any], *, seed: Any = None) -> dict[str, Any]:
    found = {
        name: event.get(name) for name in ("attributes", "options", "rng") if event.get(name) is not None
    }
    found["seed"] = event.get("seed") if seed is None else seed
    found["called"] = called(event)
    return found


def called(event: dict[str, Any]) -> bool:
    """Whether a reset event stands for a call of `reset`: steps after an end begin an episode without one."""
    return event.get("obs") is not None or bool(event.get("seeded")) or event.get("rng") is not None


def _whole(part: Part) -> list[StepRow]:
    """The steps of an episode.

    Raises:
        ReplayError: some are missing.
    """
    for expected, step in enumerate(part.steps):
        if step.step != expected:
            raise ReplayError(f"step {expected} of episode {part.row.index} is missing in the record")
    return part.steps


def _unit(
    reset: dict[str, Any],
    first: Any,
    turns: list[Any],
    turns_before: dict[int, list[int]],
    *,
    seeded: bool,
    **more: Any,
) -> Unit:
    body = msgspec.json.encode({"reset": reset, "first": first, "turns": turns, **more})
    return Unit(body, len(turns), seeded, bool(reset["called"]), turns_before)


def single(part: Part) -> Unit:
    """One episode of one environment."""
    turns = [[s.action, _reward(s), _flags(s), s.obs] for s in _whole(part)]
    turns_before = {part.row.index: list(range(len(turns) + 1))}
    return _unit(
        _reset(part.reset), part.reset.get("obs"), turns, turns_before, seeded=bool(part.reset.get("seeded"))
    )


def parallel(parts: Sequence[Part]) -> Unit:
    """One episode of an environment whose agents act at once."""
    turns: list[Any] = [{} for _ in range(_last_turn(parts))]
    for part in parts:
        for step in _whole(part):
            result = [step.action, _reward(step), _flags(step), step.obs]
            turns[step.turn or 0][str(part.row.agent_id)] = result
    first = {str(part.row.agent_id): part.reset.get("obs") for part in parts if _joined_at_reset(part)}
    reset = parts[0].reset
    return _unit(
        {**_reset(reset), "called": True},
        first,
        turns,
        _agent_turns_before(parts),
        seeded=bool(reset.get("seeded")),
    )


def _joined_at_reset(part: Part) -> bool:
    return not part.steps or part.steps[0].turn == 0


def aec(parts: Sequence[Part]) -> Unit:
    """One episode of an environment whose agents act one after the other."""
    turns: list[Any] = [None] * _last_turn(parts)
    agents = {}
    for part in parts:
        name = str(part.row.agent_id)
        for step in _whole(part):
            turns[step.turn or 0] = [name, step.action]
        steps = [[_reward(s), _flags(s), s.obs] for s in part.steps]
        agents[name] = {"first": part.reset.get("obs"), "steps": steps}
        if part.row.outcome is None:
            agents[name]["open"] = True
    reset = parts[0].reset
    called_too = {**_reset(reset), "called": True}
    return _unit(
        called_too, None, turns, _agent_turns_before(parts), seeded=bool(reset.get("seeded")), agents=agents
    )


def dicts(parts: Sequence[Part]) -> Unit:
    """One episode of an environment that returns dicts by agent; an agent may come back and have another.

    Raises:
        ReplayError: no agent was named by the reset: the environment returns lists, or the recorder learned
            of its agents only at a step.
    """
    reset = parts[0].reset
    if all(part.reset.get("obs") is None for part in parts):
        raise ReplayError(
            "environments of several agents whose reset does not name them are recorded, and not replayed yet"
        )
    turns: list[Any] = [{} for _ in range(_last_turn(parts))]
    agents = {}
    for part in parts:
        name = str(part.row.agent_id)
        for step in _whole(part):
            turns[step.turn or 0][name] = step.action
        steps = [[_reward(s), _flags(s), s.obs] for s in part.steps]
        episode = part.row.episode_id.removeprefix(f"{part.row.group}:")
        agents[episode] = {"agent": name, "first": part.reset.get("obs"), "steps": steps}
    called_too = {**_reset(reset), "called": True}
    return _unit(
        called_too, None, turns, _agent_turns_before(parts), seeded=bool(reset.get("seeded")), agents=agents
    )


def _last_turn(parts: Sequence[Part]) -> int:
    return max((step.turn or 0 for part in parts for step in part.steps), default=-1) + 1


def _agent_turns_before(parts: Sequence[Part]) -> dict[int, list[int]]:
    turns_before = {}
    for part in parts:
        turns = [step.turn or 0 for step in part.steps]
        turns_before[part.row.index] = [turns[0] if turns else 0, *(turn + 1 for turn in turns)]
    return turns_before


def vector(parts: Sequence[Part], *, num_envs: int, mode: str) -> Unit:
    """From one reset of a whole vector environment to the next: the episodes of all its positions.

    Args:
        parts: the episodes, each position's in their order.
        num_envs: how many positions there are.
        mode: how positions restart: next_step, same_step or disabled.
    """
    columns: list[list[Any]] = [[] for _ in range(num_envs)]
    first: list[Any] = [None] * num_envs
    seeds: list[Any] = [None] * num_envs
    turns_before: dict[int, list[int]] = {}
    begun = [False] * num_envs
    for part in parts:
        position, column = part.row.env_index, columns[part.row.env_index]
        obs = part.reset.get("obs")
        if not begun[position]:
            begun[position], first[position], seeds[position] = True, obs, part.reset.get("seed")
        elif mode == "same_step":
            column[-1][1] = [*column[-1][1][:3], "restarted", obs]
        elif mode == "next_step":
            column.append([None, [0.0, 0, obs, "began"]])
        else:
            raise ReplayError(
                "positions of a vector environment that are reset one by one are not replayed yet"
            )
        turns_before[part.row.index] = list(range(len(column), len(column) + len(part.steps) + 1))
        column.extend([s.action, [_reward(s), _flags(s), s.obs, ""]] for s in _whole(part))
    turns = []
    for turn in range(max(map(len, columns))):
        now = [column[turn] if turn < len(column) else [None, None] for column in columns]
        if all(action is None for action, _ in now):
            raise ReplayError(
                f"no action of turn {turn} is in the record, though all environments were stepped"
            )
        turns.append([[action for action, _ in now], [expected for _, expected in now]])
    reset = parts[0].reset
    seed = seeds if any(one is not None for one in seeds) else None
    return _unit(_reset(reset, seed=seed), first, turns, turns_before, seeded=seed is not None)
