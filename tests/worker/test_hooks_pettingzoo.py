"""PettingZoo scripts, unmodified, under our hooks: the journal says what the agents lived through."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from mosaic_worker.hooks.pettingzoo import _hook_births
from tests.recording import Recorded, assert_as_counted, expectation, record
from tests.worker.watching import playing, watch

SCRIPTS = Path(__file__).parents[1] / "scripts"
HERE = Path(__file__).parent


def run(tmp_path: Path, source: str) -> Recorded:
    """Run a script that may import the environments of `zoo.py`."""
    script = tmp_path / "script.py"
    script.write_text(dedent(source))
    done = record([sys.executable, script], folder=tmp_path, env={"PYTHONPATH": str(HERE)})
    assert done.returncode == 0, done.stderr
    assert done.hook_errors == {}
    return done


def lived(done: Recorded) -> list[tuple[Any, ...]]:
    return [(row["agent_id"], row["steps"], row["return"], row["outcome"]) for row in done.episodes()]


@pytest.mark.parametrize("name", ["pettingzoo_aec", "pettingzoo_parallel"])
def test_recorded_games_equal_what_the_script_counted(tmp_path: Path, name: str) -> None:
    done = record([sys.executable, SCRIPTS / f"{name}.py"], folder=tmp_path)
    expected = expectation(done.stderr)
    assert_as_counted(
        expected, episodes=done.episodes(), first_steps=done.steps(0), metrics=done.of("metric")
    )
    assert done.hook_errors == {}


def test_an_episode_says_how_its_environment_was_made_and_seeded(tmp_path: Path) -> None:
    done = record([sys.executable, SCRIPTS / "pettingzoo_parallel.py"], folder=tmp_path)
    first, second = done.of("reset")[:2]
    assert first["env"]["api"] == "pettingzoo-parallel"
    assert first["env"]["module"] == "pettingzoo.classic.rps_v2"
    assert first["env"]["function"] == "parallel_env"
    assert first["env"]["kwargs"] == {"max_cycles": 15}
    assert "pettingzoo" in first["env"]["versions"]
    assert (first["seed"], first["seeded"]) == (0, True)
    assert "env" not in second
    assert first["group"] == second["group"]
    assert first["episode_id"] == first["group"] + ":player_0"
    assert second["episode_id"] == second["group"] + ":player_1"


def test_a_step_carries_the_reward_of_the_whole_round_and_what_the_agent_then_saw(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from zoo import Counting
        env = Counting(turns=4)
        env.reset(seed=5)
        for agent in env.agent_iter():
            obs, reward, terminated, truncated, info = env.last()
            env.step(None if terminated or truncated else 3)
        """,
    )
    assert done.of("reset")[0]["obs"] == 0
    rows = [(s["step"], s["turn"], s["reward"], s["obs"], s["truncated"]) for s in done.steps(0)]
    assert rows == [(0, 0, 3.25, 20, False), (1, 2, 3.25, 40, True)]
    # The second agent was paid 0.25 before it ever acted: no step of its own can carry that, its return does.
    rows = [(s["step"], s["turn"], s["reward"], s["obs"], s["truncated"]) for s in done.steps(1)]
    assert rows == [(0, 1, 3.25, 31, False), (1, 3, 3.0, 41, True)]
    assert lived(done) == [("a", 2, 6.5, "truncated"), ("b", 2, 6.5, "truncated")]


def test_an_agent_that_dies_early_ends_early_and_the_others_go_on(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from zoo import Counting
        env = Counting(names=("a", "b", "c"), deaths={"b": 3}, turns=7)
        env.reset()
        for agent in env.agent_iter():
            _, _, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else 1)
        """,
    )
    assert [(row[0], row[1], row[3]) for row in lived(done)] == [
        ("a", 3, "truncated"),
        ("b", 1, "terminated"),
        ("c", 3, "truncated"),
    ]
    assert done.steps(1)[-1]["terminated"] is True


def test_a_script_that_stops_looking_at_the_end_still_leaves_every_last_step(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import os
        from zoo import Counting
        env = Counting(turns=3)
        env.reset()
        while not any(env.truncations.values()):
            env.last()
            env.step(2)
        os._exit(0)  # nothing of ours runs at the end
        """,
    )
    ended = [(event["agent_id"], event["steps"], event["outcome"]) for event in done.of("episode")]
    assert ended == [("a", 2, "truncated"), ("b", 1, "truncated")]
    assert [step["reward"] for step in done.steps(0)] == [2.25, 2.0]


def test_a_reset_in_mid_game_cuts_it_and_so_does_the_end_of_the_script(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from zoo import Counting
        env = Counting()
        for _ in range(2):
            env.reset()
            for _ in range(3):
                env.step(1)
        """,
    )
    assert [(row[0], row[1], row[3]) for row in lived(done)] == [("a", 2, "cut"), ("b", 1, "cut")] * 2
    assert [event["obs"] for event in done.of("step")] == [None] * 6  # it never looked


def test_wrapped_environments_count_once_and_name_the_wrappers(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from pettingzoo.utils.wrappers import BaseWrapper, OrderEnforcingWrapper
        from zoo import Counting

        class Mine(BaseWrapper):
            def step(self, action):
                super().step(action + 1 if action is not None else None)

        bare = Counting(turns=2)
        bare.reset()
        bare.step(1)
        env = Mine(OrderEnforcingWrapper(bare))
        env.reset()
        for agent in env.agent_iter():
            _, _, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else 1)
        """,
    )
    assert [(row[0], row[1], row[3]) for row in lived(done)] == [
        ("a", 1, "cut"),
        ("a", 1, "truncated"),
        ("b", 1, "truncated"),
    ]
    assert [step["action"] for step in done.of("step")] == [1, 1, 1]  # what the script decided
    bare, wrapped = (event["env"] for event in done.of("reset") if "env" in event)
    assert (bare["api"], bare["module"], bare["function"]) == ("pettingzoo-aec", "zoo", "Counting")
    assert bare["id"] == wrapped["id"] == "counting_v0"
    assert [name.rpartition(":")[2] for name in wrapped["wrappers"]] == ["Mine", "OrderEnforcingWrapper"]


def test_agents_may_appear_late_in_a_parallel_environment(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from zoo import Growing
        env = Growing()
        env.reset()
        for _ in range(5):
            env.step({agent: 1 for agent in env.agents})
        """,
    )
    assert lived(done) == [("first", 3, 1.5, "terminated"), ("second", 3, 1.5, "cut")]
    assert [step["turn"] for step in done.steps(1)] == [2, 3, 4]


def test_what_the_environment_raises_reaches_the_script_and_is_no_step(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from zoo import Counting
        env = Counting()
        env.reset()
        env.step(1)
        try:
            env.step(9)
        except ValueError as error:
            assert str(error) == "nine is not allowed"
        else:
            raise SystemExit("the error was swallowed")
        env.step(2)
        """,
    )
    assert [step["action"] for step in done.of("step")] == [1, 2]


def test_copies_pickles_and_forks_of_an_environment_do_not_write_into_its_episode(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import copy, os, pickle
        from zoo import Counting
        env = Counting()
        env.reset()
        env.step(1)
        for other in (copy.deepcopy(env), copy.copy(env), pickle.loads(pickle.dumps(env))):
            other.step(5)
        child = os.fork()
        if child == 0:
            env.step(6)
            os._exit(0)
        os.waitpid(child, 0)
        env.step(2)
        """,
    )
    assert [step["action"] for step in done.of("step")] == [1, 2]


def test_a_class_of_the_main_script_can_still_be_pickled_by_value(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import cloudpickle
        from zoo import Counting

        class Own(Counting):
            def step(self, action):
                super().step(action)

        env = cloudpickle.loads(cloudpickle.dumps(Own))()
        env.reset()
        env.step(4)
        """,
    )
    assert [step["action"] for step in done.of("step")] == [4]


def test_environments_made_from_the_registry_keep_their_id(tmp_path: Path) -> None:
    pettingzoo = pytest.importorskip("pettingzoo")
    if not hasattr(pettingzoo, "make"):
        pytest.fail("the pinned PettingZoo has a registry")
    done = run(
        tmp_path,
        """
        import pettingzoo
        name = next(name for name in pettingzoo.aec_registry if "tictactoe" in name)
        env = pettingzoo.make("aec", name)
        env.reset(seed=1)
        env.step(0)
        """,
    )
    env = done.of("reset")[0]["env"]
    assert "tictactoe" in env["id"]
    assert env["function"] == "env"


PLAY = """
print("ready", flush=True)
import threading
over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), over.set()), daemon=True).start()
env.reset(seed=1)
while not over.is_set():
    turn()
env.close()
print("{}")
"""
AEC = """
from pettingzoo.classic import tictactoe_v3
env = tictactoe_v3.env(render_mode=MODE)
def turn():
    observation, _, terminated, truncated, _ = env.last()
    if terminated or truncated:
        env.reset()
    else:
        env.step(int(observation["action_mask"].argmax()))
"""
PARALLEL = """
from pettingzoo.classic import rps_v2
env = rps_v2.parallel_env(render_mode=MODE)
def turn():
    env.step({agent: 0 for agent in env.agents})
    if not env.agents:
        env.reset()
"""


@pytest.mark.parametrize("made", [AEC, PARALLEL], ids=["aec", "parallel"])
def test_a_multi_agent_environment_with_a_render_mode_is_shown(tmp_path: Path, made: str) -> None:
    with playing(tmp_path, made.replace("MODE", "'rgb_array'") + PLAY) as player:
        newest = watch(player.run, lambda _, found: any(f.hud.episode > 0 for f in found.values()), fps=30)
        (frame,) = newest.values()
        assert frame.pixels.shape[2] == 3
        assert len(set(frame.pixels.reshape(-1, 3)[:, 0].tolist())) > 1, "something is drawn"
        assert frame.hud.episode_id.endswith(f".e0.{frame.hud.episode}")
        player.end()
    assert "failed" not in player.stderr


def test_viewers_are_told_why_a_multi_agent_environment_is_not_shown(tmp_path: Path) -> None:
    with playing(tmp_path, AEC.replace("MODE", "None") + PLAY) as player:
        notes: list[str] = []

        def told(viewer: Any, _: Any) -> bool:
            notes.extend(viewer.notes())
            return bool(notes)

        watch(player.run, told)
        assert "render_mode='rgb_array'" in notes[0]
        player.end()


def test_what_another_base_class_does_when_a_class_is_defined_is_still_done(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from pettingzoo import AECEnv, ParallelEnv
        class Listed:
            def __init_subclass__(cls, *, title, **kwargs):
                super().__init_subclass__(**kwargs)
                print(cls.__name__, title)
        class Turns(AECEnv, Listed, title="by turns"):
            pass
        class AtOnce(ParallelEnv, Listed, title="at once"):
            pass
        """,
    )
    assert done.stdout.splitlines() == ["Turns by turns", "AtOnce at once"]


@pytest.mark.parametrize("own", [True, False])
def test_whether_or_not_a_base_class_was_hooked_before_those_above_it_are_told_of_a_class(own: bool) -> None:
    born: list[Any] = []

    class Above:
        def __init_subclass__(cls, **kwargs: Any) -> None:
            born.append((cls.__name__, kwargs))

    class Base(Above):
        pass

    if own:
        Base.__init_subclass__ = classmethod(lambda cls, **kwargs: born.append((cls.__name__, kwargs)))  # type: ignore[assignment]
    born.clear()
    _hook_births(Base)

    class Child(Base, flavour="mint"):
        def reset(self) -> None:
            pass

    assert born == [("Child", {"flavour": "mint"})]
    assert hasattr(vars(Child)["reset"], "_mosaic_hook")
