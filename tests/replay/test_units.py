from __future__ import annotations

import json
from typing import Any

import pytest

from mosaic.errors import ReplayError
from mosaic.protocol.rows import EpisodeRow, StepRow
from mosaic.replay import units
from mosaic.replay.units import Part


def part(
    index: int, steps: int, *, turns: list[int] | None = None, agent: str | None = None, **reset: Any
) -> Part:
    rows = [
        StepRow(
            step=k, action=k, reward=0.5, terminated=k == steps - 1, truncated=False, obs=[index, k], t=0.0,
            turn=turns[k] if turns else None,
        )
        for k in range(steps)
    ]  # fmt: skip
    position = reset.pop("position", 0)
    row = EpisodeRow(episode_id=f"e{index}", index=index, steps=steps, agent_id=agent, env_index=position)
    return Part(row, {"obs": [index], **reset}, rows)


def body(unit: units.Unit) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(unit.body)
    return found


def test_an_episode_is_a_unit_of_its_own() -> None:
    unit = units.single(part(3, 2, seed=7, seeded=True, rng={"kind": "x"}))
    assert (unit.turns, unit.seeded, unit.called, unit.turns_before) == (2, True, True, {3: [0, 1, 2]})
    assert body(unit)["turns"] == [[0, 0.5, 0, [3, 0]], [1, 0.5, 1, [3, 1]]]
    assert body(unit)["reset"] == {"seed": 7, "rng": {"kind": "x"}, "called": True}


def test_steps_after_an_end_have_no_reset() -> None:
    assert not units.single(part(0, 1, obs=None)).called


def test_a_missing_step_is_told() -> None:
    whole = part(4, 3)
    with pytest.raises(ReplayError, match="step 1 of episode 4"):
        units.single(Part(whole.row, whole.reset, [whole.steps[0], whole.steps[2]]))


def test_agents_that_take_turns_are_put_in_order() -> None:
    unit = units.aec([part(0, 2, turns=[0, 2], agent="a"), part(1, 2, turns=[1, 4], agent="b")])
    assert body(unit)["turns"] == [["a", 0], ["b", 0], ["a", 1], None, ["b", 1]]
    assert unit.turns_before == {0: [0, 1, 3], 1: [1, 2, 5]}
    assert body(unit)["agents"]["b"]["steps"] == [[0.5, 0, [1, 0]], [0.5, 1, [1, 1]]]


def test_agents_that_act_at_once_share_their_turns() -> None:
    unit = units.parallel([part(0, 2, turns=[0, 1], agent="a"), part(1, 1, turns=[0], agent="b")])
    assert [sorted(turn) for turn in body(unit)["turns"]] == [["a", "b"], ["a"]]
    assert body(unit)["first"] == {"a": [0], "b": [1]}


@pytest.mark.parametrize(
    ("mode", "actions", "how"),
    [
        ("next_step", [[0, 0], [1, 1], [None, 2], [0, 3]], "began"),
        ("same_step", [[0, 0], [1, 1], [0, 2], [None, 3]], "restarted"),
    ],
)
def test_positions_of_a_vector_environment_restart_in_their_mode(mode: str, actions: Any, how: str) -> None:
    parts = [part(0, 2, seed=5), part(1, 4, seed=5, position=1), part(2, 1)]
    unit = units.vector(parts, num_envs=2, mode=mode)
    assert [turn[0] for turn in body(unit)["turns"]] == actions
    assert how in [turn[1][0][3] for turn in body(unit)["turns"] if turn[1][0]]
    assert body(unit)["reset"]["seed"] == [5, 5]
    assert unit.turns_before[2] == ([3, 4] if mode == "next_step" else [2, 3])


def test_positions_reset_one_by_one_are_refused() -> None:
    with pytest.raises(ReplayError, match="one by one"):
        units.vector([part(0, 1), part(1, 1)], num_envs=1, mode="disabled")
