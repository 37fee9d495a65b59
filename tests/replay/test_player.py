"""An open episode: any step, in any order, in bounded memory, and an end to it."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from mosaic import replay
from mosaic.errors import ReplayCancelledError, ReplayError, UsageError
from mosaic.paths import RunFolder
from mosaic.replay.player import Player
from tests.replay.recorded import LOOP, record


def frames(player: Player, order: list[int]) -> dict[int, bytes]:
    return {step: player.frame(step).rgb for step in order}


@pytest.mark.parametrize("run", ["cartpole", "taxi"])
def test_a_step_looks_the_same_however_it_is_come_upon(run: str, request: pytest.FixtureRequest) -> None:
    folder: RunFolder = request.getfixturevalue(run)
    with replay.open(folder, 1, cache_bytes=1) as player:
        steps = list(range(player.steps + 1))
        forwards = frames(player, steps)
        backwards = frames(player, steps[::-1])
        random.Random(0).shuffle(steps)
        anyhow = frames(player, steps)
    assert forwards == backwards == anyhow
    assert len(set(forwards.values())) > 5


def test_the_pace_is_the_recorded_one_and_of_older_records_the_present_one(cartpole: RunFolder) -> None:
    with replay.open(cartpole, 0) as player:
        assert player.environment["render_fps"] == 50
        assert player.fps == 50.0
        player.environment["render_fps"] = 12
        assert player.fps == 12.0
        del player.environment["render_fps"]
        assert player.fps == 50.0
        player.environment["render_fps"] = 1e9
        assert player.fps == 240.0


def test_an_open_episode_knows_how_it_went_and_what_was_recorded(cartpole: RunFolder) -> None:
    with replay.open(cartpole, 2) as player:
        assert player.verdict.exact
        assert player.environment["id"] == "CartPole-v1"
        assert player.seek(0) is None
        last = player.seek(player.steps)
        assert last is not None
        assert last.terminated
        frame = player.frame(3)
        assert frame.array().shape == (400, 600, 3)
        assert not frame.differs


def test_memory_is_bounded(cartpole: RunFolder) -> None:
    size = 400 * 600 * 3
    with replay.open(cartpole, 0, cache_bytes=3 * size) as player:
        for step in range(player.steps + 1):
            player.frame(step)
        assert player._cache.bytes <= 3 * size


def test_there_is_no_frame_beyond_the_end(cartpole: RunFolder) -> None:
    with replay.open(cartpole, 0) as player, pytest.raises(UsageError, match=f"0 to {player.steps}"):
        player.frame(player.steps + 1)


def test_playing_goes_forwards_and_backwards(cartpole: RunFolder) -> None:
    with replay.open(cartpole, 0) as player:
        steps = [frame.step for frame in player.play(0, start=2, stop=6)]
        assert steps == [2, 3, 4, 5, 6]
        assert [frame.step for frame in player.play(-1000.0, start=4)] == [4, 3, 2, 1, 0]


def test_a_chain_is_drawn_too(keeps: RunFolder) -> None:
    with replay.open(keeps, 4, allowed=["keeps"]) as player:
        assert player.verdict.exact
        shades = [player.frame(step).rgb[0] for step in range(player.steps + 1)]
        assert shades == sorted(shades)
        assert [player.frame(step).rgb[0] for step in (4, 1, 3)] == [shades[4], shades[1], shades[3]]


def test_a_diverged_episode_is_shown_and_marked(lucky: RunFolder) -> None:
    with replay.open(lucky, 0, allowed=["lucky"]) as player:
        assert player.verdict.step == 3
        with pytest.raises(ReplayError, match="cannot be made for frames"):
            player.frame(0)  # this environment draws nothing


def test_cancelling_ends_what_is_under_way(cartpole: RunFolder) -> None:
    with replay.open(cartpole, 0) as player:
        raised: list[BaseException] = []

        def play_on() -> None:
            try:
                while True:
                    for _ in player.play(0.001):
                        began.set()
            except ReplayCancelledError as error:
                raised.append(error)

        began = threading.Event()
        thread = threading.Thread(target=play_on)
        thread.start()
        assert began.wait(30)
        player.cancel()
        thread.join(30)
        assert raised
        with pytest.raises(ReplayCancelledError):
            player.frame(1)


def test_an_episode_that_is_not_there_is_refused(cartpole: RunFolder) -> None:
    with pytest.raises(UsageError, match="episodes 0 to 3"):
        replay.open(cartpole, 9)


def test_opening_can_be_given_up(recordings: Path) -> None:
    source = LOOP.format(
        imports="import time", make='"MountainCarContinuous-v0"', seed=1, episodes=1, steps=900
    )
    folder = record(recordings, source)

    def enough(_done: int, _of: int) -> None:
        raise ReplayCancelledError("enough")

    with pytest.raises(ReplayCancelledError, match="enough"):
        replay.open(folder, 0, progress=enough)


def test_a_scene_is_the_same_however_it_is_come_upon(taxi: RunFolder) -> None:
    with replay.open(taxi, 1) as player:
        assert player.has_scene
        steps = list(range(player.steps + 1))
        forwards = {step: player.scene(step) for step in steps}
        backwards = {step: player.scene(step) for step in steps[::-1]}
        player.frame(3)  # drawing moves the environment it draws
        again = player.scene(3)
    assert forwards == backwards
    assert again == forwards[3]
    assert len({scene.says for scene in forwards.values() if scene is not None}) > 3


def test_an_episode_without_scenes_says_so_and_one_beyond_its_end_is_refused(cartpole: RunFolder) -> None:
    with replay.open(cartpole, 0) as player:
        assert not player.has_scene
        assert player.scene(0) is None
        assert player.env_name == "CartPole-v1"
        with pytest.raises(UsageError, match="has the frames 0 to"):
            player.scene(player.steps + 1)
