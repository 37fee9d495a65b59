"""Film: every turn looks as when it was drawn in order, however one gets to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import pytest

from mosaic_worker.replay.film import Film, leaves_traces
from mosaic_worker.replay.sims import SingleSim
from tests.replay.walking import Walk, fresh, recorded

if TYPE_CHECKING:
    from collections.abc import Callable

ORDER = [20, 0, 11, 10, 9, 19, 1, 20, 2]


class Camera:
    """Makes environments whose drawing leaves traces, and remembers them."""

    def __init__(self) -> None:
        self.made: list[SingleSim] = []

    def __call__(self) -> SingleSim:
        self.made.append(fresh(traces=True))
        return self.made[-1]


def forwards() -> list[bytes]:
    film = Film(recorded(20), Camera())
    frames = [film.frame(turn)[0].tobytes() for turn in range(21)]
    film.close()
    return frames


def test_a_turn_looks_the_same_however_it_is_come_upon_and_is_drawn_once() -> None:
    camera = Camera()
    film = Film(recorded(20), camera)
    assert [film.frame(turn)[0].tobytes() for turn in ORDER] == [forwards()[turn] for turn in ORDER]
    (sim,) = camera.made
    assert sim.env.drawn == 21
    film.close()
    assert sim.env.closed


def test_a_kept_frame_has_its_shape_its_kind_and_how_its_turn_differed() -> None:
    unit = recorded(20)
    unit.turns[4][1] = 9.0
    film = Film(unit, Camera())
    drawn, found = film.frame(5)
    assert [one["what"] for _, one in found] == ["reward"]
    film.frame(9)
    kept, again = film.frame(5)
    assert (kept.shape, kept.dtype, kept.tobytes()) == ((2, 2, 3), np.uint8, drawn.tobytes())
    assert again == found
    assert film.frame(6)[1] == []
    film.close()


def test_within_its_bound_the_oldest_go_first_and_are_drawn_anew_from_the_reset() -> None:
    camera = Camera()
    film = Film(recorded(20), camera, limit_bytes=60)
    wanted = forwards()
    assert [film.frame(turn)[0].tobytes() for turn in (17, 3, 20)] == [wanted[turn] for turn in (17, 3, 20)]
    assert [sim.env.closed for sim in camera.made] == [True, False]
    kept = list(film._reel._kept)
    assert 1 < len(kept) < 20
    assert kept == list(range(21 - len(kept), 21))
    assert film._reel._bytes == sum(len(one[0]) for one in film._reel._kept.values()) <= 60
    film.close()
    assert film._reel._bytes == 0


def test_a_frame_larger_than_the_bound_is_kept_alone() -> None:
    film = Film(recorded(20), Camera(), limit_bytes=1)
    film.frame(7)
    assert list(film._reel._kept) == [7]
    film.close()


def test_a_film_is_complete_once_the_last_turn_is_drawn() -> None:
    film = Film(recorded(3), Camera())
    seen = []
    while not film.complete:
        seen.append(film.advance()[0])
    assert seen == [0, 1, 2, 3]
    film.close()


def test_what_is_no_frame_is_given_and_not_kept() -> None:
    class Silent(Walk):
        def render(self) -> Any:
            return "nothing to see"

    def make() -> SingleSim:
        sim = SingleSim(Silent())
        sim.turn = -1
        return sim

    film = Film(recorded(5), make)
    assert film.frame(2)[0] == "nothing to see"
    assert not film._reel._kept
    assert film.frame(2)[0] == "nothing to see"
    film.close()


def standing(env: Any) -> Callable[[int], SingleSim]:
    """The same environment at every turn; how often it was asked for does not matter to it."""
    sim = SingleSim(env)

    def at(turn: int) -> SingleSim:
        sim.turn = turn
        env.turn = turn
        return sim

    return at


class Counts(Walk):
    """Draws the same each time, and counts how often."""

    def render(self) -> Any:
        self.shown = getattr(self, "shown", 0) + 1
        return np.zeros((2, 2, 3), np.uint8)


class Collects(Walk):
    """Draws the same each time, and lets a list grow."""

    def __init__(self) -> None:
        super().__init__()
        self.smoke: list[int] = []

    def render(self) -> Any:
        self.smoke.append(1)
        return np.zeros((2, 2, 3), np.uint8)


class Fades(Walk):
    """Has its smoke in an array, which nobody looks into; only the frames tell."""

    def __init__(self) -> None:
        super().__init__()
        self.smoke = np.zeros(1, np.uint8)

    def render(self) -> Any:
        self.smoke += 1
        return np.full((2, 2, 3), self.smoke[0], np.uint8)


class Opens(Walk):
    """Opens a window at the first frame; from then on nothing changes."""

    window = None

    def render(self) -> Any:
        self.window = "open"
        return np.zeros((2, 2, 3), np.uint8)


class SmokesAt(Walk):
    """Leaves traces at one turn only."""

    def __init__(self, when: int) -> None:
        super().__init__()
        self.when, self.turn = when, 0

    def render(self) -> Any:
        self.drawn += self.turn == self.when
        return np.full((2, 2, 3), self.drawn, np.uint8)


@pytest.mark.parametrize(
    ("env", "found"),
    [
        (Walk(), False),
        (Walk(traces=True), True),
        (Counts(), True),
        (Collects(), True),
        (Fades(), True),
        (Opens(), False),
        (SmokesAt(0), True),
        (SmokesAt(50), True),
        (SmokesAt(20), True),
        (SmokesAt(21), False),  # between two looks
    ],
    ids=["plain", "frames", "counter", "list", "array", "window", "first", "last", "between", "unseen"],
)
def test_what_drawing_changes_is_found_out_at_a_few_turns(env: Any, found: bool) -> None:
    assert leaves_traces(standing(env), 50, secs=60.0) is found


def test_the_search_stops_when_its_time_is_up() -> None:
    asked: list[int] = []
    at = standing(Walk())

    def noting(turn: int) -> SingleSim:
        asked.append(turn)
        return at(turn)

    assert not leaves_traces(noting, 50, secs=-1.0)
    assert asked == [0]
    assert not leaves_traces(noting, 50, secs=60.0, looks=3)
    assert asked[1:] == [0, 25, 50]


def test_an_environment_that_gives_no_frames_leaves_no_traces() -> None:
    class Silent(Walk):
        def render(self) -> Any:
            self.total += 1

    assert not leaves_traces(standing(Silent()), 50)


@pytest.mark.parametrize(("env_id", "found"), [("Taxi-v4", True), ("CartPole-v1", False)])
def test_real_environments_are_told_apart(env_id: str, found: bool) -> None:
    env = gym.make(env_id, render_mode="rgb_array")
    env.reset(seed=1)
    assert leaves_traces(lambda _: SingleSim(env), 1, secs=60.0) is found
    env.close()


@pytest.mark.parametrize(
    ("name", "module", "found"),
    [
        ("LunarLander", "mine", True),
        ("BipedalWalker", "gymnasium.envs.box2d", True),
        ("AntEnv", "gymnasium.envs.mujoco.ant_v5", False),
        ("AtariEnv", "ale_py.env", False),
    ],
)
def test_known_environments_are_judged_by_their_name_and_not_drawn(
    name: str, module: str, found: bool
) -> None:
    def refuse(_: Any) -> Any:
        raise AssertionError("it was drawn")

    kind = type(name, (Walk,), {"render": refuse, "__module__": module})
    assert leaves_traces(lambda _: SingleSim(kind()), 50) is found
