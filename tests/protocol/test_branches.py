"""Where a branch comes from, and which of its episodes goes on."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic.protocol.branches import Origin, branches_of, branching_point, origin_of
from mosaic.protocol.rows import EpisodeRow
from mosaic.protocol.runs import RunRow, RunState


def episode(index: int, agent: str | None = None, env_index: int = 0) -> EpisodeRow:
    return EpisodeRow(episode_id=f"e{index}", index=index, agent_id=agent, env_index=env_index)


def run(run_id: str, **more: Any) -> RunRow:
    given = {"name": "", "state": RunState.FINISHED, "reason": "", "created": 1.0, "command": []}
    return RunRow(run_id=run_id, **{**given, **more})


@pytest.mark.parametrize(
    ("origin", "rows", "twin"),
    [
        ({"nth": 0}, [episode(0)], 0),
        ({"nth": 2}, [episode(0), episode(1), episode(2)], 2),
        ({"nth": 1}, [episode(0)], None),
        ({}, [episode(0), episode(1)], 1),
        ({}, [], None),
        ({"nth": 0, "agent_id": "b"}, [episode(0, "a"), episode(1, "b")], 1),
        ({"nth": 1, "position": 1}, [episode(0), episode(1, None, 1), episode(2), episode(3, None, 1)], 3),
    ],
)
def test_the_episode_that_goes_on_is_found_by_agent_position_and_order(
    origin: dict[str, Any], rows: list[EpisodeRow], twin: int | None
) -> None:
    assert Origin(parent="p", episode=4, step=2, **origin).twin(rows) == twin


def test_settings_of_other_runs_are_no_origin() -> None:
    told = {"parent": "p", "episode": 4, "step": 2, "episode_id": "x"}
    assert origin_of({"branch": told}) == Origin(parent="p", episode=4, step=2, episode_id="x")
    assert origin_of({}) is None
    assert origin_of({"branch": "main"}) is None


def test_branches_of_an_episode_come_newest_first() -> None:
    at = {"branch.episode": "3", "branch.step": "9"}
    rows = [
        run("a", parent="p", tags=at),
        run("b", parent="p", tags=at, created=5.0),
        run("c", parent="p", tags={**at, "branch.episode": "4"}),
        run("d", parent="q", tags=at),
        run("e", parent="p"),
    ]
    assert [row.run_id for row in branches_of(rows, "p", 3)] == ["b", "a"]
    assert branching_point(rows[0]) == (3, 9)
    assert branching_point(run("x", tags={"branch.episode": "three", "branch.step": "9"})) is None
