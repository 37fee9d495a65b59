"""People in real sessions: what they do there is recorded, and what was recorded replays."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mosaic.fastlane.lane import Lease
from mosaic.fastlane.viewer import Viewer
from mosaic.replay.resimulator import Resimulator
from mosaic.store.reader import StoreReader
from mosaic_worker.operators import Random
from mosaic_worker.session.attended import Attended, is_lively, render_fps, usual_pace
from mosaic_worker.session.played import Episode
from mosaic_worker.session.worlds import world_of
from tests.by_hand import PERSON, Person, session, settle

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

LAKE: dict[str, Any] = {"env_id": "FrozenLake-v1", "env_arguments": {"is_slippery": False}}
TO_THE_GOAL = (1, 1, 2, 2, 1, 2)
RANDOM = {"kind": "random", "name": "random"}
NOOP = {"kind": "noop", "name": "noop"}


def python(tmp_path: Path, name: str, text: str) -> dict[str, str]:
    path = tmp_path / name
    path.write_text(text)
    return {"kind": "python", "name": f"python:{name}", "path": str(path)}


def decisions(folder: RunFolder) -> list[dict[str, Any]]:
    with StoreReader(folder) as reader:
        return [json.loads(event.data) for event in reader.events("decision")]


def all_exact(folder: RunFolder) -> bool:
    with StoreReader(folder) as reader, Resimulator(folder, reader) as resimulator:
        rows = list(reader.episodes())
        return bool(rows) and all(resimulator.judge(row).exact for row in rows if row.steps)


def test_a_person_walks_to_the_goal_and_the_episode_replays(tmp_path: Path) -> None:
    with session(tmp_path / "home", seats={"*": PERSON}, seeds=[[1, 2]], **LAKE) as me:
        now = me.until(lambda now: now.seats[0].waits)
        assert (now.pace, now.episodes, now.seats[0].by) == ("turn", 2, "person")
        assert me.offer is not None
        assert me.offer.keys[""].bindings[0].keys == ["Left"]
        assert sorted(me.offer.allowed) == ["deploy", "quit", "reset"]
        assert not me.order("take")
        for action in TO_THE_GOAL:
            now = me.act(action)
        assert (now.seats[0].over, now.seats[0].returned, now.seats[0].step) == (True, 1.0, 6)
        assert now.tick == 6
        assert not me.order("act", action=0)  # a key goes on to the next episode
        assert me.until(lambda now: now.episode == 1 and now.seats[0].waits).seed == 2
        me.leave()
    settle(me.folder)
    with StoreReader(me.folder) as reader:
        assert [(row.steps, row.return_) for row in reader.episodes() if row.steps] == [(6, 1.0)]
    assert [(one["operator"], one["step"]) for one in decisions(me.folder)] == [("person", 0)]
    assert all_exact(me.folder)


def test_a_policy_is_relieved_for_some_steps_of_one_episode_and_goes_on(tmp_path: Path) -> None:
    seats = {"*": python(tmp_path, "mind.py", "def act(view):\n    return view.step % 2\n")}
    car: dict[str, Any] = {"env_id": "MountainCar-v0", "max_steps": 20, "pace": "turn", "fps": 200}
    with session(tmp_path / "home", seats=seats, seeds=[[3, 3]], **car) as me:
        assert not me.order("pause")
        now = me.until(lambda now: now.paused)
        before = now.seats[0].step
        assert not me.order("take")
        assert not me.order("go")
        for _ in range(5):
            me.act(2)
        assert not me.order("give")
        me.process.wait(60)
    settle(me.folder)
    found = decisions(me.folder)
    taken = [one for one in found if one.get("verdict")]
    steps = [one["step"] for one in taken]
    assert len(steps) == 5
    assert steps == list(range(steps[0], steps[0] + 5))
    assert steps[0] >= before
    for one in taken:
        assert (one["operator"], one["proposed"], one["executed"]) == ("python:mind.py", one["step"] % 2, 2)
        assert (one["verdict"], one["by"], one["reason"]) == ("replace", "person", "taken over")
    assert found[-1]["operator"] == "python:mind.py"
    assert found[-1]["step"] == steps[-1] + 1  # who decides again is written
    with StoreReader(me.folder) as reader:
        rows = list(reader.episodes())
        assert [row.outcome for row in rows] == ["truncated"]
        actions = [step.action for step in reader.steps(rows[0].index)]
    assert actions[steps[0] : steps[-1] + 1] == [2] * 5
    assert all_exact(me.folder)


def test_under_a_tick_keys_are_held_and_a_client_that_dies_lets_them_go(tmp_path: Path) -> None:
    with session(
        tmp_path / "home", env_id="MountainCar-v0", seats={"*": NOOP}, seeds=[[1, 1]], pace="tick", fps=100
    ) as me:
        other = Person(me.folder, me.process, name="other")
        assert not other.order("take")
        assert not other.order("hold", action=2)
        me.until(lambda now: now.seats[0].by == "other" and now.seats[0].held == 2)
        at = me.now.seats[0].step if me.now is not None else 0
        me.until(lambda now: now.seats[0].step > at + 5)
        other.close()
        now = me.until(lambda now: now.seats[0].by == "noop")
        assert now.seats[0].held is None
        gone = now.seats[0].step
        me.until(lambda now: now.seats[0].step > gone + 3)
        me.leave()
    settle(me.folder)
    with StoreReader(me.folder) as reader:
        [row] = reader.episodes()
        actions = [step.action for step in reader.steps(row.index)]
    assert row.outcome == "cut"
    assert actions.count(2) > 5
    assert actions[-3:] == [0, 0, 0]
    assert all_exact(me.folder)


@pytest.mark.parametrize("how", ["paused", "waiting for a person"])
def test_who_comes_to_look_while_nothing_is_stepped_sees_how_it_stands(tmp_path: Path, how: str) -> None:
    seats = {"*": NOOP if how == "paused" else PERSON}
    with session(tmp_path / "home", seats=seats, seeds=[[1, 1]], pace="tick", fps=100, **LAKE) as me:
        if how == "paused":
            assert not me.order("pause")
        now = me.until(lambda now: now.paused or now.seats[0].waits)
        viewer = Viewer(me.folder, lease=Lease(fps=30.0, width=64, height=64))
        try:
            frames: dict[Any, Any] = {}
            until = time.monotonic() + 60
            while not frames:
                assert time.monotonic() < until, "nothing is shown"
                viewer.tick()
                frames = viewer.frames()
                me.hear(0.01)
        finally:
            viewer.close()
        assert me.now is not None
        assert me.now.tick == now.tick
        me.leave()


def test_of_two_who_want_a_seat_one_gets_it_and_both_are_told(tmp_path: Path) -> None:
    with session(tmp_path / "home", seats={"*": PERSON}, seeds=[[1, 1]], **LAKE) as me:
        other = Person(me.folder, me.process, name="other")
        try:
            assert not me.order("take")
            assert other.order("take").startswith("me has this seat")
            now = other.until(lambda now: now.seats[0].by == "me")
            assert not now.seats[0].mine
            assert me.until(lambda now: now.seats[0].mine).seats[0].by == "me"
            assert not me.order("give")
            assert not other.order("take")
        finally:
            other.close()
        me.leave()


def test_another_operator_is_made_ready_beside_the_one_that_plays_on(tmp_path: Path) -> None:
    slow = (
        "import json, sys, time\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    if asked['ask'] == 'open':\n"
        "        while not __import__('os').path.exists('READY'): time.sleep(0.01)\n"
        "        print(json.dumps({'ready': True}), flush=True)\n"
        "    elif asked['ask'] == 'act':\n"
        "        print(json.dumps({'id': asked['id'], 'action': 1}), flush=True)\n"
    ).replace("'READY'", repr(str(tmp_path / "go")))
    program = tmp_path / "slow.py"
    program.write_text(slow)
    told = {"kind": "cmd", "name": "cmd:slow", "argv": [os.sys.executable, str(program)]}  # type: ignore[attr-defined]
    with session(
        tmp_path / "home", env_id="MountainCar-v0", seats={"*": NOOP}, seeds=[[1, 1]], pace="tick", fps=100
    ) as me:
        assert not me.order("deploy", seat=told)
        now = me.until(lambda now: now.seats[0].loading == "cmd:slow")
        at = now.seats[0].step
        now = me.until(lambda now: now.seats[0].step > at + 10)
        assert now.seats[0].by == "noop"  # plays on
        (tmp_path / "go").touch()
        now = me.until(lambda now: now.seats[0].operator == "cmd:slow")
        taken = now.seats[0].step
        assert not now.seats[0].loading
        me.until(lambda now: now.seats[0].step > taken + 5)
        me.leave()
    settle(me.folder)
    with StoreReader(me.folder) as reader:
        [row] = reader.episodes()
        actions = [step.action for step in reader.steps(row.index)]
    assert set(actions[: at + 10]) == {0}
    assert set(actions[taken + 1 :]) == {1}
    assert decisions(me.folder)[0]["operator"] == "noop"
    assert decisions(me.folder)[-1]["operator"] == "cmd:slow"
    assert (
        "cmd:slow" in (me.folder.path / "stdout.log").read_text()
    )  # what was played is told of who sits there
    assert all_exact(me.folder)


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (
            {"kind": "cmd", "name": "cmd:false", "argv": ["/bin/sh", "-c", "read asked; exit 1"]},
            "it ended with code 1",
        ),
        ({"kind": "cmd", "name": "cmd:echo", "argv": ["/bin/sh", "-c", "echo hello; cat"]}, "is not JSON"),
    ],
)
def test_an_operator_that_never_gets_ready_leaves_the_one_before_in_its_seat(
    tmp_path: Path, told: dict[str, Any], why: str
) -> None:
    with session(
        tmp_path / "home", env_id="MountainCar-v0", seats={"*": NOOP}, seeds=[[1, 1]], pace="tick", fps=100
    ) as me:
        assert not me.order("deploy", seat=told)
        now = me.until(lambda now: bool(now.seats[0].trouble))
        assert why in now.seats[0].trouble
        assert now.seats[0].trouble.endswith("noop goes on")
        at = now.seats[0].step
        me.until(lambda now: now.seats[0].step > at and now.seats[0].by == "noop")
        refused = me.order("deploy", seat={"kind": "python", "name": "python:no.py", "path": "/no/such.py"})
        assert "python:no.py" in refused
        assert "no operator of kind 'wizard'" in me.order("deploy", seat={"kind": "wizard", "name": "w"})
        me.leave()


STUBBORN = """
import json, os, pathlib, signal, sys, time
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
if sys.argv[2] == "ready":
    print('{"ready": true}', flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["ask"] == "act":
            print(json.dumps({"id": asked["id"], "action": 1}), flush=True)
time.sleep(600)
"""
"""An operator that does not leave when its input ends."""


@pytest.mark.parametrize("how", ["followed", "never ready"])
def test_an_operator_that_sits_nowhere_any_more_is_ended(tmp_path: Path, how: str) -> None:
    program, pid = tmp_path / "stubborn.py", tmp_path / "pid"
    program.write_text(STUBBORN)
    argv = [sys.executable, str(program), str(pid), "ready" if how == "followed" else "never"]
    stubborn = {"kind": "cmd", "name": "cmd:stubborn", "argv": argv}
    car: dict[str, Any] = {"env_id": "MountainCar-v0", "seeds": [[1, 1]], "pace": "tick", "fps": 100}
    with session(tmp_path / "home", seats={"*": stubborn if how == "followed" else NOOP}, **car) as me:
        me.until(lambda now: now.seats[0].step > 0)
        assert not me.order("deploy", seat=NOOP if how == "followed" else stubborn)
        if how == "followed":
            me.until(lambda now: now.seats[0].operator == "noop")
        else:
            me.until(lambda _: pid.exists() and bool(pid.read_text()))
        me.leave()
    number = int(pid.read_text())
    try:
        assert not Path(f"/proc/{number}").exists()
    finally:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def test_an_episode_is_left_to_be_looked_at_only_for_who_played_it() -> None:
    import gymnasium as gym

    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return True

    world = world_of(gym.make("FrozenLake-v1"))
    attended = Attended(world, {"": Random()}, env_id="FrozenLake-v1", stop=stop)
    attended.ended([Episode("", 1.0, 6, None)])
    assert asked == []
    assert attended.control.hands[""].over
    attended.control.obey(1, "me", {"do": "take"})
    attended.ended([Episode("", 1.0, 6, None)])
    assert asked == [1]
    world.close()


def test_a_reset_begins_anew_with_another_seed_and_the_cut_episode_stays_in_the_record(
    tmp_path: Path,
) -> None:
    with session(tmp_path / "home", seats={"*": PERSON}, seeds=[[1, 1]], **LAKE) as me:
        assert not me.order("take")
        me.act(1)
        assert not me.order("reset", seed=7)
        now = me.until(lambda now: now.seed == 7 and now.seats[0].waits)
        assert (now.seats[0].step, now.episode) == (0, 0)
        assert not me.order("reset")
        assert me.until(lambda now: now.seats[0].waits and now.seats[0].step == 0).seed == 7
        for action in TO_THE_GOAL:
            me.act(action)
        me.process.wait(60)  # the one that was asked for is played
    settle(me.folder)
    with StoreReader(me.folder) as reader:
        found = [(row.seed, row.steps, row.outcome) for row in reader.episodes() if row.steps]
    assert found == [(1, 1, "cut"), (7, 6, "terminated")]
    assert all_exact(me.folder)


def test_agents_of_one_game_are_a_person_and_others(tmp_path: Path) -> None:
    seats = {"*": RANDOM, "player_1": PERSON}
    with session(
        tmp_path / "home", env_id="pettingzoo.classic.tictactoe_v3", api="aec", seats=seats, seeds=[[1, 1]]
    ) as me:
        assert not me.order("take", actor="player_1")
        while True:
            now = me.until(lambda now: now.seats[0].waits or any(seat.over for seat in now.seats))
            if any(seat.over for seat in now.seats):
                break
            legal = now.seats[0].legal
            assert legal is not None
            illegal = next((cell for cell in range(9) if cell not in legal), None)
            if illegal is not None:
                assert "which is not legal now" in me.order("act", action=illegal, actor="player_1")
            me.act(legal[0], actor="player_1")
        me.process.wait(60)
    settle(me.folder)
    with StoreReader(me.folder) as reader:
        assert {row.outcome for row in reader.episodes()} == {"terminated"}
    assert {one["operator"] for one in decisions(me.folder)} == {"person", "random"}
    assert all_exact(me.folder)


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_a_session_that_is_ended_while_it_waits_leaves_a_whole_record(
    tmp_path: Path, sent: signal.Signals
) -> None:
    with session(tmp_path / "home", seats={"*": PERSON}, seeds=[[1, 1]], **LAKE) as me:
        assert not me.order("take")
        me.act(1)
        me.act(2)
        me.process.send_signal(sent)
        assert me.process.wait(60) == (128 + sent if sent == signal.SIGTERM else -sent)
        while not me.hands.ended:
            me.hear()
    assert (me.folder.path / "session.sock").exists() == (sent == signal.SIGKILL)
    settle(me.folder)
    with StoreReader(me.folder) as reader:
        assert [row.steps for row in reader.episodes()] == [2]
    assert all_exact(me.folder)


def test_a_person_outside_of_a_run_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from mosaic_worker.drivers.session import main

    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    try:
        assert main([json.dumps({"seats": {"*": PERSON}, "seeds": [[1, 1]], **LAKE})]) == 2
    finally:
        for one, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(one, handler)
    assert "a person plays in a run: start it with `mosaic play`" in capfd.readouterr().err
    assert tmp_path.exists()


def test_environments_that_are_drawn_often_are_played_in_time_and_games_in_turns_are_not() -> None:
    import gymnasium as gym
    from pettingzoo.classic.tictactoe import tictactoe

    cart, lake = world_of(gym.make("CartPole-v1")), world_of(gym.make("FrozenLake-v1"))
    board = world_of(tictactoe.env(), "aec")
    assert [is_lively(world) for world in (cart, lake, board)] == [True, False, False]
    assert (render_fps(cart.env), render_fps(lake.env), render_fps(object())) == (50.0, 4.0, None)
    assert usual_pace(cart, person=True, fps=None) == "tick"
    assert usual_pace(lake, person=True, fps=None) == "turn"
    assert usual_pace(cart, person=False, fps=None) == "free"
    assert usual_pace(lake, person=False, fps=4) == "tick"
    for world in (cart, lake, board):
        world.close()
