"""The life of episodes, without any framework."""

from __future__ import annotations

import copy
import gc
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from mosaic_worker import report
from mosaic_worker.episodes import Shared, Track
from mosaic_worker.recorder import Recorder
from mosaic_worker.vectors import VectorTrack, at
from tests.worker.reading import read_journal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    made = Recorder(str(tmp_path))
    yield made
    made.close()


def events(tmp_path: Path, *kinds: str) -> list[dict[str, Any]]:
    (found,) = read_journal(tmp_path).values()
    return [event for event in found if not kinds or event["type"] in kinds]


def shapes(tmp_path: Path) -> list[Any]:
    return [
        (e["type"], e.get("step", e.get("steps")), e.get("outcome"))
        for e in events(tmp_path, "reset", "step", "episode")
    ]


def test_an_episode_is_a_reset_steps_and_an_end(recorder: Recorder, tmp_path: Path) -> None:
    track = Track(recorder)
    track.begin(0)
    track.step(1, 0, 0.5, False, False)
    track.step(1, 0, 0.25, True, False)
    assert shapes(tmp_path) == [
        ("reset", None, None), ("step", 0, None), ("step", 1, None), ("episode", 2, "terminated"),
    ]  # fmt: skip
    (episode,) = events(tmp_path, "episode")
    assert episode["return"] == 0.75
    assert episode["t_start"] <= episode["t_end"] <= episode["t"]


def test_an_episode_that_ends_by_both_flags_is_terminated(recorder: Recorder, tmp_path: Path) -> None:
    track = Track(recorder)
    track.begin(0)
    track.step(1, 0, 0.5, True, True)
    assert shapes(tmp_path)[-1] == ("episode", 1, "terminated")
    (step,) = events(tmp_path, "step")
    assert (step["terminated"], step["truncated"]) == (True, True)
    track.begin(0)
    track.step(1, 0, 0.5, False, True)
    assert shapes(tmp_path)[-1] == ("episode", 1, "truncated")


def test_ids_count_up_per_environment(recorder: Recorder, tmp_path: Path) -> None:
    first, second = Track(recorder), Track(recorder)
    for track in (first, second, first):
        track.begin(0)
    names = [event["episode_id"].removeprefix(recorder.producer) for event in events(tmp_path, "reset")]
    assert names == [".e0.0", ".e1.0", ".e0.1"]


def test_a_step_without_a_reset_opens_an_episode_of_its_own(recorder: Recorder, tmp_path: Path) -> None:
    track = Track(recorder)
    track.step(1, 0, 1.0, True, False)
    track.step(1, 0, 1.0, False, False)
    assert [shape[0] for shape in shapes(tmp_path)] == ["reset", "step", "episode", "reset", "step"]


def test_a_collected_environment_cuts_its_episode(recorder: Recorder, tmp_path: Path) -> None:
    track = Track(recorder)
    track.begin(0)
    track.step(1, 0, 1.0, False, False)
    del track
    gc.collect()
    assert shapes(tmp_path)[-1] == ("episode", 1, "cut")


def test_copies_are_dormant_until_reset_and_pickles_forget_us(recorder: Recorder, tmp_path: Path) -> None:
    track = Track(recorder)
    track.begin(0)
    twin = copy.deepcopy(track)
    twin.step(1, 0, 1.0, False, False)
    assert [shape[0] for shape in shapes(tmp_path)] == ["reset"]
    twin.begin(0)
    twin.step(1, 0, 1.0, False, False)
    assert events(tmp_path, "step")[0]["episode_id"].endswith(".e1.0")
    assert pickle.loads(pickle.dumps(track)) is None


def test_a_sleeping_track_records_nothing_until_its_next_reset(recorder: Recorder, tmp_path: Path) -> None:
    track = Track(recorder)
    track.begin(0)
    track.sleep()
    track.step(1, 0, 1.0, False, False)
    track.begin(0)
    assert [shape[0] for shape in shapes(tmp_path)] == ["reset", "episode", "reset"]


def test_the_environment_is_described_once_and_a_failing_description_costs_only_itself(
    recorder: Recorder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> dict[str, Any]:
        raise RuntimeError("cannot say")

    shared = Shared()
    for index, describe in enumerate((lambda: {"id": "A"}, broken)):
        Track(recorder, env_index=index, shared=shared).begin(0, describe=describe)
    Track(recorder).begin(0, describe=broken)
    assert [event.get("env") for event in events(tmp_path, "reset")] == [{"id": "A"}, None, None]
    assert "cannot say" in capsys.readouterr().err


class NotAReward:
    """Nothing that a float could be made of."""


def test_a_reward_that_is_no_number_is_nan_and_said_once(
    recorder: Recorder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    track = Track(recorder)
    track.begin(0)
    before = report.counts().get("reward", 0)
    for _ in range(3):
        track.step(1, 0, NotAReward(), False, False)
    assert [event["reward"] for event in events(tmp_path, "step")] == ["NaN"] * 3
    assert capsys.readouterr().err.count("not a number or a vector but NotAReward") == 1
    assert report.counts()["reward"] == before + 3


def test_next_step_autoreset_turns_the_step_after_an_end_into_a_reset(
    recorder: Recorder, tmp_path: Path
) -> None:
    track = VectorTrack(recorder, num_envs=1, mode="next_step")
    track.begin([0], seed=4, rng={"kind": "x"})
    for over in (False, True, False, False):
        track.step([1], [0], [1.0], ([over], [False]), {})
    assert [shape[0] for shape in shapes(tmp_path)] == ["reset", "step", "step", "episode", "reset", "step"]


def test_the_generator_all_positions_share_is_written_with_the_first(
    recorder: Recorder, tmp_path: Path
) -> None:
    track = VectorTrack(recorder, num_envs=3, mode="disabled")
    track.begin([0, 0, 0], seed=[7, 8, 9], rng={"kind": "x"})
    assert [(e["seed"], e.get("env_index", 0), "rng" in e) for e in events(tmp_path, "reset")] == [
        (7, 0, True), (8, 1, False), (9, 2, False),
    ]  # fmt: skip


def test_a_position_of_a_batch_is_found_in_every_kind_of_batch() -> None:
    assert at({"a": [1, 2]}, 1) == {"a": 2}
    assert at(([1, 2], [3, 4]), 1, in_tuple=True) == (2, 4)
    assert at((1, 2), 1) == 2
