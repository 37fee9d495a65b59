"""One track per position of a vector environment, in each way of starting the next episode."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mosaic_worker.recorder import Recorder
from mosaic_worker.vectors import MODES, VectorTrack, at, final
from tests.worker.reading import read_journal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    made = Recorder(str(tmp_path))
    yield made
    made.close()


def told(tmp_path: Path, position: int) -> list[Any]:
    """What one position's journal says, as kind and what tells."""
    (found,) = read_journal(tmp_path).values()
    ids = {e["episode_id"] for e in found if e["type"] == "reset" and e.get("env_index", 0) == position}
    shown = {"reset": "obs", "step": "obs", "episode": "outcome"}
    return [(e["type"], e[shown[e["type"]]]) for e in found if e.get("episode_id") in ids]


def play(track: VectorTrack, *steps: tuple[list[int], list[bool], list[bool]], infos: Any = None) -> None:
    """Step both positions: observations, which terminated, which were truncated."""
    for obs, terminated, truncated in steps:
        track.step([0, 1], obs, [1.0, 2.0], (terminated, truncated), infos or {})


NO, FIRST, SECOND = [False, False], [True, False], [False, True]


def test_in_next_step_mode_the_step_after_an_end_is_the_reset(recorder: Recorder, tmp_path: Path) -> None:
    track = VectorTrack(recorder, num_envs=2, mode="next_step")
    track.begin([10, 20])
    play(track, ([11, 21], FIRST, NO), ([12, 22], NO, NO), ([13, 23], NO, SECOND))
    assert told(tmp_path, 0) == [
        ("reset", 10), ("step", 11), ("episode", "terminated"), ("reset", 12), ("step", 13),
    ]  # fmt: skip
    assert told(tmp_path, 1) == [
        ("reset", 20), ("step", 21), ("step", 22), ("step", 23), ("episode", "truncated"),
    ]  # fmt: skip


def test_in_same_step_mode_the_last_observation_comes_from_the_infos(
    recorder: Recorder, tmp_path: Path
) -> None:
    track = VectorTrack(recorder, num_envs=2, mode="same_step")
    track.begin([10, 20])
    play(track, ([11, 21], NO, SECOND), infos={"final_obs": [None, 29]})
    play(track, ([12, 22], NO, NO))
    assert told(tmp_path, 0) == [("reset", 10), ("step", 11), ("step", 12)]
    assert told(tmp_path, 1) == [
        ("reset", 20), ("step", 29), ("episode", "truncated"), ("reset", 21), ("step", 22),
    ]  # fmt: skip


def test_in_disabled_mode_only_the_mask_of_a_reset_starts_an_episode(
    recorder: Recorder, tmp_path: Path
) -> None:
    track = VectorTrack(recorder, num_envs=2, mode="disabled")
    track.begin([10, 20])
    play(track, ([11, 21], FIRST, NO))
    track.begin([12, 99], options={"reset_mask": np.array([True, False])})
    play(track, ([13, 22], NO, NO))
    assert told(tmp_path, 0) == [
        ("reset", 10), ("step", 11), ("episode", "terminated"), ("reset", 12), ("step", 13),
    ]  # fmt: skip
    assert told(tmp_path, 1) == [("reset", 20), ("step", 21), ("step", 22)]


def test_a_reset_of_everything_forgets_who_had_ended(recorder: Recorder, tmp_path: Path) -> None:
    track = VectorTrack(recorder, num_envs=2, mode="next_step")
    track.begin([10, 20])
    play(track, ([11, 21], FIRST, NO))
    track.begin([30, 40])
    play(track, ([31, 41], NO, NO))
    assert told(tmp_path, 0)[-2:] == [("reset", 30), ("step", 31)]


def test_one_seed_is_given_to_all_and_a_list_to_each(recorder: Recorder, tmp_path: Path) -> None:
    track = VectorTrack(recorder, num_envs=2, mode="disabled")
    track.begin([0, 0], seed=5)
    track.begin([0, 0], seed=[7, None])
    (found,) = read_journal(tmp_path).values()
    resets = [event for event in found if event["type"] == "reset"]
    assert [event.get("seed") for event in resets] == [5, 5, 7, None]
    assert len({event["group"] for event in resets}) == 1
    assert len({event["env_key"] for event in resets}) == 1


def test_each_position_gets_its_own_part_of_actions_and_rewards(recorder: Recorder, tmp_path: Path) -> None:
    track = VectorTrack(recorder, num_envs=2, mode="disabled", tuples=(True, True))
    track.begin(([1, 2], [3, 4]))
    track.step(([5, 6], [7, 8]), ([9, 10], [11, 12]), [0.5, 1.5], (NO, NO), {})
    (found,) = read_journal(tmp_path).values()
    assert [event["obs"] for event in found if event["type"] == "reset"] == [[1, 3], [2, 4]]
    steps = [(event["action"], event["obs"], event["reward"]) for event in found if event["type"] == "step"]
    assert steps == [([5, 7], [9, 11], 0.5), ([6, 8], [10, 12], 1.5)]


def test_a_cut_ends_what_is_open_at_every_position(recorder: Recorder, tmp_path: Path) -> None:
    track = VectorTrack(recorder, num_envs=2, mode="disabled")
    track.begin([10, 20])
    play(track, ([11, 21], FIRST, NO))
    track.cut()
    assert told(tmp_path, 0)[-1] == ("episode", "terminated")
    assert told(tmp_path, 1)[-1] == ("episode", "cut")
    assert [one.env_index for one in track.tracks] == [0, 1]


def test_a_copy_is_dormant_until_its_own_reset_and_a_pickle_forgets_us(
    recorder: Recorder, tmp_path: Path
) -> None:
    track = VectorTrack(recorder, num_envs=2, mode="same_step", tuples=(True, False))
    track.begin(([10, 20],))
    twin = copy.deepcopy(track)
    assert twin.dormant
    play(twin, ([[1, 2]], NO, NO))  # type: ignore[list-item]
    assert [len(told(tmp_path, position)) for position in (0, 1)] == [1, 1]
    twin.begin(([30, 40],))
    assert not twin.dormant
    assert told(tmp_path, 0) == [("reset", [10]), ("reset", [30])]
    assert pickle.loads(pickle.dumps(track)) is None


def test_after_a_fork_nothing_is_written_until_a_reset(recorder: Recorder, tmp_path: Path) -> None:
    track = VectorTrack(recorder, num_envs=2, mode="disabled")
    track.begin([10, 20])
    before = track.tracks
    recorder.after_fork_in_child()
    play(track, ([11, 21], NO, NO))
    track.begin([30, 40])
    assert track.tracks is not before
    assert told_by_all(tmp_path) == [10, 20, 30, 40]


def told_by_all(tmp_path: Path) -> list[Any]:
    return sorted(
        event["obs"]
        for events in read_journal(tmp_path).values()
        for event in events
        if event["type"] in ("reset", "step")
    )


def test_a_part_of_a_batch_is_found_in_every_kind_of_batch() -> None:
    assert at({"a": [1, 2], "b": {"c": [3, 4]}}, 1) == {"a": 2, "b": {"c": 4}}
    assert at(([1, 2], {"x": [3, 4]}), 1, in_tuple=True) == (2, {"x": 4})
    assert at((1, 2), 0) == 1
    assert at(np.array([[1, 2], [3, 4]]), 1).tolist() == [3, 4]
    assert MODES == ("next_step", "same_step", "disabled")


@pytest.mark.parametrize("name", ["final_obs", "final_observation"])
def test_the_true_last_observation_has_two_names(name: str) -> None:
    assert final({name: [None, 7]}, 1) == 7
    assert final({"other": [1, 2]}, 1) is None
