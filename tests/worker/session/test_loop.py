"""The loop on real environments: who is asked, what is counted, when it ends, who may change an action."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from pettingzoo.classic.tictactoe import tictactoe

from mosaic_worker.operators import Actions, Choice, Learner, Operator, Policy, Random, Seat
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.outcome import Outcome
from mosaic_worker.session.played import Episode
from mosaic_worker.session.supervising import ALLOW, Supervisor, Verdict, VetoedError, replace, veto
from mosaic_worker.session.view import View
from mosaic_worker.session.worlds import World, world_of
from tests.worker.session.test_worlds import Countdown
from tests.worker.zoo import Counting, Leaving

if TYPE_CHECKING:
    from collections.abc import Callable


class Corridor(gym.Env[Any, Any]):
    """Ends after `length` steps; the reward is the action. Notes every reset and action."""

    observation_space = gym.spaces.Discrete(99)
    action_space = gym.spaces.Discrete(10)

    def __init__(self, length: int = 3) -> None:
        self.length = length
        self.seeds: list[int | None] = []
        self.given: list[int] = []

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.seeds.append(seed)
        self.at = 0
        return self.at, {}

    def step(self, action: int) -> Any:
        self.given.append(action)
        self.at += 1
        return self.at, float(action), self.at == self.length, False, {"at": self.at}


def corridor(length: int = 3) -> tuple[Corridor, World]:
    env = Corridor(length)
    return env, world_of(env)


def test_episodes_are_counted_apart_and_said_when_they_end() -> None:
    env, world = corridor()
    said: list[Episode] = []
    played = play(world, Actions(range(9)), until=Until(episodes=3), seed=5, ended=said.append)
    assert (played.returns, played.lengths, played.ticks) == ([3.0, 12.0, 21.0], [3, 3, 3], 9)
    assert said == played.episodes
    assert said[0] == Episode("", 3.0, 3, {"at": 3})
    assert env.seeds == [5, None, None]


def test_an_episode_that_is_cut_off_by_a_time_limit_has_ended_with_what_the_environment_said() -> None:
    world = world_of(gym.wrappers.TimeLimit(Corridor(9), 2))
    played = play(world, Actions(range(4)), until=Until(episodes=2))
    assert played.episodes == [Episode("", 1.0, 2, {"at": 2}), Episode("", 5.0, 2, {"at": 2})]


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_position_that_is_cut_off_by_a_time_limit_has_ended(mode: AutoresetMode) -> None:
    envs = gym.vector.SyncVectorEnv(
        [lambda: gym.make("CartPole-v1", max_episode_steps=5)] * 2, autoreset_mode=mode
    )
    played = play(world_of(envs, "vector"), defaultdict(Random), until=Until(episodes=2), seed=0)
    assert {(one.actor, one.length) for one in played.episodes} == {(0, 5), (1, 5)}


def test_no_episode_is_begun_that_would_have_no_step() -> None:
    env, world = corridor()
    assert play(world, Actions(range(6)), until=Until(ticks=6)).ticks == 6
    assert len(env.seeds) == 2
    for until in (Until(ticks=0), Until(episodes=0), Until(ticks=-1), Until(episodes=-1)):
        assert play(world, Actions([]), until=until).episodes == []
    assert len(env.seeds) == 2


def test_a_bound_of_ticks_ends_an_episode_half_way() -> None:
    env, world = corridor()
    played = play(world, Actions(range(4)), until=Until(ticks=4))
    assert (played.lengths, played.ticks, env.given) == ([3], 4, [0, 1, 2, 3])


def test_the_stop_is_asked_before_every_tick() -> None:
    env, world = corridor()
    played = play(world, Policy(lambda _: 1), until=Until(stop=lambda: len(env.given) == 5))
    assert (played.ticks, played.lengths) == (5, [3])


def test_the_view_has_what_the_actor_knows() -> None:
    _, world = corridor()
    seen: list[tuple[Any, ...]] = []

    def look(view: View) -> int:
        seen.append((view.actor, view.observation, view.info, view.step, view.returned))
        return 2

    play(world, Policy(look), until=Until(ticks=4))
    assert seen == [
        ("", 0, {}, 0, 0.0),
        ("", 1, {"at": 1}, 1, 2.0),
        ("", 2, {"at": 2}, 2, 4.0),
        ("", 0, {}, 0, 0.0),
    ]


def test_play_goes_on_where_the_world_stands_and_counts_only_its_own() -> None:
    env, world = corridor(5)
    world.reset(seed=1)
    world.step({"": 9})
    played = play(world, Actions([1, 2, 3, 4]), until=Until(episodes=1), reset=False)
    assert (played.returns, played.lengths, env.seeds) == ([10.0], [4], [1])


@pytest.mark.parametrize("mode", AutoresetMode)
def test_an_episode_that_had_ended_before_play_goes_on_is_not_counted(mode: AutoresetMode) -> None:
    world = world_of(Countdown(mode), "vector")
    world.reset()
    world.step({0: 1, 1: 1})
    world.step({0: 1, 1: 1})
    played = play(world, defaultdict(Random), until=Until(ticks=3), seed=0, reset=False)
    assert [(one.actor, one.length) for one in played.episodes] == [(1, 1), (0, 2)]


def test_a_world_that_is_over_is_reset_though_play_was_to_go_on() -> None:
    env, world = corridor(2)
    play(world, Actions([1, 1]), until=Until(episodes=1), seed=1)
    played = play(world, Actions([2, 3]), until=Until(episodes=1), seed=8, reset=False)
    assert (played.returns, played.lengths, env.seeds) == ([5.0], [2], [1, 8])


@pytest.mark.parametrize(
    ("kind", "env"),
    [
        ("single", Corridor()),
        ("vector", Countdown(AutoresetMode.NEXT_STEP)),
        ("vector", Countdown(AutoresetMode.SAME_STEP)),
        ("vector", Countdown(AutoresetMode.DISABLED)),
        ("aec", Counting(turns=4)),
        ("aec", tictactoe.env()),
        ("aec", tictactoe.raw_env()),
        ("parallel", Leaving()),
    ],
)
def test_a_world_that_was_never_reset_is_over_and_is_reset_by_play(kind: str, env: Any) -> None:
    world = world_of(env, kind)
    assert world.over
    played = play(world, defaultdict(Random), until=Until(episodes=1), seed=3, reset=False)
    assert played.ticks > 0
    assert all(episode.length > 0 for episode in played.episodes)


class Notes(Learner):
    """Learns what came of which choice."""

    def __init__(self) -> None:
        self.learned: list[tuple[int, Any, float]] = []

    def act(self, view: View) -> Choice:
        return Choice(view.step + 1)

    def learn(self, view: View, choice: Choice, outcome: Outcome) -> None:
        self.learned.append((view.observation, choice.action, outcome.reward))


def test_a_learner_learns_every_step_with_the_last_one() -> None:
    _, world = corridor(2)
    notes = Notes()
    play(world, notes, until=Until(ticks=3))
    assert notes.learned == [(0, 1, 1.0), (1, 2, 2.0), (0, 1, 1.0)]


class Begun(Operator):
    """Keeps the seat it was given."""

    def __init__(self) -> None:
        self.seats: list[Seat] = []

    def begin(self, seat: Seat) -> None:
        self.seats.append(seat)

    def act(self, view: View) -> Choice:
        return Choice(1)


def test_every_seat_has_a_seed_of_its_own_and_is_begun_once() -> None:
    operators: dict[str, Begun] = {"a": Begun(), "b": Begun()}
    play(world_of(Counting(turns=4), "aec"), operators, until=Until(episodes=2), seed=7)
    (first,), (second,) = operators["a"].seats, operators["b"].seats
    assert (first.actor, first.seed, second.actor) == ("a", 7, "b")
    assert second.seed not in (None, 7)
    assert first.action_space.n == 10


def test_in_an_aec_world_every_agents_rewards_are_its_own() -> None:
    played = play(
        world_of(Counting(turns=4), "aec"),
        {"a": Policy(lambda _: 3), "b": Policy(lambda _: 1)},
        until=Until(episodes=2),
    )
    assert [(one.actor, one.returned, one.length) for one in played.episodes] == [
        ("a", 6.5, 2),
        ("b", 2.5, 2),
    ] * 2
    assert played.ticks == 12


def test_in_a_parallel_world_who_is_gone_is_asked_no_more() -> None:
    asked: list[str] = []

    def note(view: View) -> int:
        asked.append(view.actor)
        return 2

    played = play(world_of(Leaving(), "parallel"), defaultdict(lambda: Policy(note)), until=Until(episodes=1))
    assert asked == ["a", "b", "a", "a"]
    assert [(one.actor, one.returned, one.length) for one in played.episodes] == [
        ("b", 2.0, 1),
        ("a", 6.0, 3),
    ]


@pytest.mark.parametrize(
    ("mode", "order"), [(AutoresetMode.NEXT_STEP, [0, 1, 0, 1]), (AutoresetMode.SAME_STEP, [0, 1, 0, 0, 1])]
)
def test_positions_that_restart_by_themselves_are_counted_apart(
    mode: AutoresetMode, order: list[int]
) -> None:
    world = world_of(Countdown(mode), "vector")
    played = play(world, defaultdict(Random), until=Until(episodes=4), seed=1)
    assert [one.actor for one in played.episodes] == order
    assert [(one.returned, one.length) for one in played.episodes] == [
        (actor + 2.0, actor + 2) for actor in order
    ]


def test_without_autoreset_the_one_who_has_ended_waits_for_the_others() -> None:
    env = Countdown(AutoresetMode.DISABLED)
    played = play(
        world_of(env, "vector"), defaultdict(lambda: Policy(lambda v: v.actor)), until=Until(episodes=2)
    )
    assert [(one.actor, one.length) for one in played.episodes] == [(0, 2), (1, 3)] * 2
    assert env.given[:3] == [[0, 1], [0, 1], [1, 1]]  # who waits does what a neighbour does


def balanced(observation: Any) -> int:
    return int(observation[2] > 0)


def counted_by_hand(envs: Any, mode: AutoresetMode, enough: Callable[[int, int], bool]) -> list[Any]:
    """Episodes as (position, return, length), counted from what a vector environment returns."""
    found: list[Any] = []
    totals, lengths, rounds = np.zeros(3), np.zeros(3, int), 0
    idle, over = np.zeros(3, bool), np.zeros(3, bool)
    observations, _ = envs.reset(seed=7)
    while not enough(len(found), rounds):
        if mode == AutoresetMode.DISABLED and over.any():
            envs.reset(options={"reset_mask": over})
        actions = np.array([balanced(one) for one in observations])
        if not idle.all():
            actions[idle] = actions[~idle][0]  # who waits does what a neighbour does
        observations, rewards, terminated, truncated, _ = envs.step(actions)
        over = terminated | truncated
        for index in np.flatnonzero(~idle):
            totals[index] += rewards[index]
            lengths[index] += 1
            if over[index]:
                found.append((index, totals[index], lengths[index]))
                totals[index], lengths[index] = 0.0, 0
        if mode == AutoresetMode.NEXT_STEP:
            idle = over
        elif mode == AutoresetMode.DISABLED:
            idle = idle | over
            if idle.all():
                rounds += 1
                idle, over = np.zeros(3, bool), np.zeros(3, bool)
                observations, _ = envs.reset()
    return found


@pytest.mark.parametrize("mode", AutoresetMode)
def test_gymnasiums_own_vector_environment_is_played_in_every_autoreset_mode(mode: AutoresetMode) -> None:
    def envs() -> Any:
        return gym.vector.SyncVectorEnv([lambda: gym.make("CartPole-v1")] * 3, autoreset_mode=mode)

    operators: dict[int, Operator] = defaultdict(lambda: Policy(lambda view: balanced(view.observation)))
    played = play(world_of(envs(), "vector"), operators, until=Until(episodes=4), seed=7)
    waits = mode == AutoresetMode.DISABLED
    by_hand = counted_by_hand(envs(), mode, lambda found, rounds: (rounds if waits else found) >= 4)
    assert [(one.actor, one.returned, one.length) for one in played.episodes] == by_hand
    assert len(by_hand) == 12 if waits else 4 <= len(by_hand) <= 6
    if waits:
        assert played.ticks == sum(max(length for *_, length in by_hand[at : at + 3]) for at in (0, 3, 6, 9))


class Guard(Supervisor):
    """Replaces nine by one, and vetoes eight."""

    def __init__(self) -> None:
        self.reviewed: list[Any] = []

    def review(self, view: View, choice: Choice) -> Verdict:
        self.reviewed.append(choice.action)
        if choice.action == 9:
            return replace(1, "nine hurts")
        return veto("eight is out") if choice.action == 8 else ALLOW


class Stubborn(Operator):
    """Wants eight, until it is refused often enough."""

    def __init__(self, vetoes: int) -> None:
        self.vetoes = vetoes
        self.reasons: list[Any] = []

    def act(self, view: View) -> Choice:
        self.reasons.append(view.refused)
        return Choice(8 if len(view.refused) < self.vetoes else 2, {"tried": len(view.refused)})


def test_a_supervisor_replaces_an_action_and_the_next_one_sees_it_so() -> None:
    env, world = corridor()
    notes, first, second = Notes(), Guard(), Guard()
    notes.act = lambda view: Choice(9)  # type: ignore[method-assign]
    play(world, notes, supervisors=[first, second], until=Until(ticks=2))
    assert (env.given, first.reviewed, second.reviewed) == ([1, 1], [9, 9], [1, 1])
    assert [action for _, action, _ in notes.learned] == [1, 1]


def test_after_a_veto_the_operator_is_asked_again_with_the_reason() -> None:
    env, world = corridor(1)
    stubborn, guard = Stubborn(2), Guard()
    play(world, stubborn, supervisors=[guard], until=Until(episodes=1))
    assert (env.given, guard.reviewed) == ([2], [8, 8, 2])
    assert stubborn.reasons[-1] == ((8, "eight is out"), (8, "eight is out"))


def test_an_operator_that_knows_nothing_else_ends_the_play() -> None:
    (env, world), guard = corridor(), Guard()
    with pytest.raises(
        VetoedError, match="all 3 actions the operator had for step 0 were vetoed: 8: eight is out"
    ):
        play(world, Stubborn(99), supervisors=[guard], until=Until(episodes=1))
    assert (env.given, guard.reviewed) == ([], [8, 8, 8])
