"""Attempts from a start to a target, and frames of every turn of the target. On real environments."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest
from gymnasium.envs.classic_control.cartpole import CartPoleEnv

from mosaic_worker.replay import stage as staging
from mosaic_worker.replay.build import Builder
from mosaic_worker.replay.sims import SingleSim, VectorSim
from mosaic_worker.replay.stage import Attempted, Stage, make_sim
from mosaic_worker.replay.zoo import AecSim, ParallelSim
from tests.replay import taken
from tests.replay.walking import Walk, recorded
from tests.worker.zoo import Counting

if TYPE_CHECKING:
    from collections.abc import Iterator

CARTPOLE: dict[str, Any] = {"api": "gymnasium", "id": "CartPole-v1", "kwargs": {}}
COUNTING: dict[str, Any] = {
    "api": "pettingzoo-aec", "module": "tests.worker.zoo", "function": "Counting",
}  # fmt: skip
TAXI: dict[str, Any] = {"api": "gymnasium", "id": "Taxi-v4", "kwargs": {}}


class Noting(Builder):
    """Remembers what it made."""

    made: list[Any]

    def make(self) -> Any:
        self.made = [*getattr(self, "made", []), super().make()]
        return self.made[-1]


@pytest.fixture
def stage() -> Iterator[Stage]:
    """CartPole with four recorded episodes of four steps; only the first reset was seeded."""
    stage = Stage(Noting(CARTPOLE))
    env = gym.make("CartPole-v1")
    for number in range(4):
        stage.units[number] = taken.single(env, [1, 0, 1, 1], seed=None if number else 3)
    yield stage
    stage.close()


def silent(_done: int, _of: int) -> None:
    """Nobody asks how far it is."""


def made(stage: Stage) -> int:
    builder = stage.builder
    assert isinstance(builder, Noting)
    return len(builder.made)


def attempt(stage: Stage, start: int, target: int, *, seekable: bool = False) -> dict[str, Any]:
    return stage.attempt(start, target, silent, seekable=seekable).differences


def test_attempts_that_go_on_where_the_last_one_ended_play_nothing_twice(stage: Stage) -> None:
    assert [attempt(stage, 0, target) for target in range(4)] == [{}] * 4
    assert made(stage) == 1
    assert attempt(stage, 2, 2) == {}
    assert made(stage) == 2


def test_a_target_is_come_to_through_everything_from_the_start(stage: Stage) -> None:
    for unit in stage.units.values():
        unit.reset.pop("rng", None)  # so that an episode needs the ones before it
    assert attempt(stage, 0, 2) == {}
    assert attempt(stage, 2, 2)[""][0] == -1


def test_progress_is_told_turn_by_turn_on_the_way_and_in_the_target(stage: Stage) -> None:
    told: list[tuple[int, int]] = []
    stage.attempt(0, 1, lambda done, of: told.append((done, of)), seekable=False)
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)] * 2


def test_a_single_episode_is_played_to_its_first_difference(stage: Stage) -> None:
    stage.units[1].turns[2][1] = 7.0
    told: list[int] = []
    found = stage.attempt(1, 1, lambda done, _: told.append(done), seekable=False).differences
    assert (found[""][0], found[""][1]["what"], told[-1]) == (2, "reward", 3)
    assert attempt(stage, 1, 2) == {}
    assert made(stage) == 2  # where the first one stopped nothing can go on


def test_an_environment_that_raises_has_come_out_otherwise(stage: Stage) -> None:
    stage.units[1].turns[2][0] = 99  # no such action
    turn, found = attempt(stage, 1, 1)[""]
    assert (turn, found["what"], found["recorded"]) == (2, "raised", "no error")
    assert found["now"].startswith("AssertionError: 99")
    several = Stage(Builder(COUNTING, allowed=["tests"]))
    several.units[0] = taken.aec(Counting(), [1, 2, 3])
    several.units[0].turns[1][1] = 9
    turn, found = attempt(several, 0, 0)[""]
    assert (turn, found["what"], found["now"]) == (1, "raised", "ValueError: nine is not allowed")
    several.close()


def test_an_attempt_of_which_no_frame_is_wanted_draws_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []
    render: Any = CartPoleEnv.render

    def noted(env: CartPoleEnv) -> Any:
        drawn.append(env)
        return render(env)

    monkeypatch.setattr(CartPoleEnv, "render", noted)
    assert attempt(stage, 0, 1) == {}
    assert drawn == []
    assert attempt(stage, 0, 1, seekable=True) == {}
    assert drawn


def test_every_turn_of_the_target_is_drawn_as_it_looked(stage: Stage) -> None:
    assert attempt(stage, 0, 1, seekable=True) == {}
    env: Any = gym.make("CartPole-v1", render_mode="rgb_array")
    env.reset(seed=3)
    for action in (1, 0, 1, 1):
        env.step(action)
    env.reset()
    wanted = [env.render().tobytes()]
    for action in (1, 0, 1, 1):
        env.step(action)
        wanted.append(env.render().tobytes())
    env.close()
    assert [stage.draw(turn, "")[0].tobytes() for turn in (4, 0, 2, 1, 3)] == [
        wanted[turn] for turn in (4, 0, 2, 1, 3)
    ]
    assert stage.draw(99, "")[0].tobytes() == wanted[4]
    assert stage.draw(-5, "")[0].tobytes() == wanted[0]


def test_the_turn_that_differs_says_so_whenever_it_is_drawn(stage: Stage) -> None:
    stage.units[0].turns[2][1] = 7.0
    assert list(attempt(stage, 0, 0, seekable=True)) == [""]
    assert stage.seeker is not None
    assert not stage.seeker.copyable
    order = (3, 3, 2, 4, 3, 0)
    assert [bool(stage.draw(turn, "")[1]) for turn in order] == [turn == 3 for turn in order]


def test_frames_are_only_there_after_an_attempt_that_was_to_be_drawn(stage: Stage) -> None:
    with pytest.raises(RuntimeError, match="no unit is open"):
        stage.draw(0, "")
    attempt(stage, 0, 1, seekable=True)
    stage.draw(0, "")
    attempt(stage, 0, 2)
    with pytest.raises(RuntimeError, match="no unit is open"):
        stage.draw(0, "")
    assert not stage.idle()


def test_what_leaves_traces_is_filmed_from_the_reset_on() -> None:
    stage = Stage(Builder(TAXI))
    stage.units[0] = taken.single(gym.make("Taxi-v4"), [0, 2, 1, 3, 0, 2])
    assert attempt(stage, 0, 0, seekable=True) == {}
    assert stage._film is not None
    while stage.idle():
        pass
    assert stage._film.complete
    frames = [stage.draw(turn, "")[0].tobytes() for turn in range(7)]
    assert len(set(frames)) > 3
    assert [stage.draw(turn, "")[0].tobytes() for turn in (6, 0, 3)] == [frames[6], frames[0], frames[3]]
    stage.close()
    assert stage._film is None


def test_what_fails_in_an_idle_moment_waits_until_it_is_asked_for(stage: Stage) -> None:
    attempt(stage, 0, 0, seekable=True)
    stage._idle = (1 // 0 for _ in itertools.count())  # type: ignore[misc]
    assert not stage.idle()
    stage.draw(2, "")


def test_closing_lets_every_environment_go(stage: Stage) -> None:
    attempt(stage, 0, 1)
    attempt(stage, 2, 2, seekable=True)
    stage.close()
    builder = stage.builder
    assert isinstance(builder, Noting)
    drawn = [env.unwrapped for env in builder.made if env.unwrapped.screen is not None]
    assert drawn
    assert not any(env.isopen for env in drawn)
    assert stage.seeker is None
    assert not stage.idle()
    attempt(stage, 0, 1)
    live = stage._live
    assert live is not None
    live.frame("")
    stage.close()
    assert not live.core.isopen


def test_of_everybodys_differences_only_the_first_counts_and_of_the_turn_it_came_of() -> None:
    outcome = Attempted()
    outcome.add(3, [("a", {"what": "obs"}), ("b", {"what": "reward", "at": 1})])
    outcome.add(4, [("a", {"what": "reward"}), ("", {"what": "raised"})])
    assert {whose: turn for whose, (turn, _) in outcome.differences.items()} == {"a": 3, "b": 1, "": 4}
    assert outcome.differences["a"][1]["what"] == "obs"


@pytest.mark.parametrize(
    ("described", "kind"),
    [
        (CARTPOLE, SingleSim),
        ({**CARTPOLE, "vector": True, "num_envs": 2}, VectorSim),
        (COUNTING, AecSim),
        ({"api": "pettingzoo-parallel", "module": "tests.worker.zoo", "function": "Leaving"}, ParallelSim),
    ],
)
def test_every_kind_of_environment_is_played_in_its_way(described: dict[str, Any], kind: type) -> None:
    builder = Builder(json.loads(json.dumps(described)), allowed=["tests"])
    sim = make_sim(builder)
    assert type(sim) is kind
    sim.close()


class Walking(Noting):
    """Makes small environments of chosen ways."""

    kind_of_walk: dict[str, bool]

    def __init__(self, walk: type[Walk] = Walk, **kind: bool) -> None:
        super().__init__({"api": "gymnasium", "id": None})
        self.made, self._walk, self.kind_of_walk = [], walk, kind

    def make(self) -> Any:
        self.made.append(self._walk(**self.kind_of_walk))
        return self.made[-1]


def looks(turns: int) -> list[bytes]:
    env = Walk()
    env.reset(seed=3)
    found = [env.render().tobytes()]
    for turn in range(turns):
        env.step(turn % 3)
        found.append(env.render().tobytes())
    env.close()
    return found


def test_what_cannot_be_copied_is_filmed_while_it_is_played_and_no_turn_is_played_again() -> None:
    stage = Stage(Walking(uncopyable=True))
    stage.units[0] = recorded(40)
    assert attempt(stage, 0, 0, seekable=True) == {}
    before, wanted = made(stage), looks(40)
    order = (40, 0, 20, 19, 39, 1)
    assert [stage.draw(turn, "")[0].tobytes() for turn in order] == [wanted[turn] for turn in order]
    while stage.idle():
        pass
    assert made(stage) == before
    stage.close()


def test_filming_on_the_way_costs_no_exact_replay() -> None:
    class Shy(Walk):
        looked = 0

        def render(self) -> Any:
            self.looked += 1
            self.total += 0.5 if self.looked > 1 else 0.0  # its first frame changes nothing
            return super().render()

    stage = Stage(Walking(Shy, uncopyable=True))
    stage.units[0] = recorded(10)
    assert list(stage._attempt(0, 0, silent, seekable=True).differences) == [""]
    assert attempt(stage, 0, 0, seekable=True) == {}
    stage.close()


@pytest.mark.parametrize(("dear_secs", "drawn_ahead"), [(0.0, 31), (1e9, 0)])
def test_frames_that_take_long_to_draw_are_drawn_ahead_in_idle_moments(
    monkeypatch: pytest.MonkeyPatch, dear_secs: float, drawn_ahead: int
) -> None:
    monkeypatch.setattr(staging, "_DEAR_SECS", dear_secs)
    stage = Stage(Walking())
    stage.units[0] = recorded(30)
    assert attempt(stage, 0, 0, seekable=True) == {}
    while stage.idle():
        pass
    assert len(stage._reel) == drawn_ahead
    wanted = looks(30)
    assert [stage.draw(turn, "")[0].tobytes() for turn in range(31)] == wanted
    stage.close()


def test_turns_are_drawn_ahead_far_from_each_other_and_each_once() -> None:
    assert list(staging._halving(9))[:4] == [0, 8, 4, 2]
    for turns in (0, 1, 7, 8, 100):
        assert sorted(staging._halving(turns)) == list(range(turns + 1))
