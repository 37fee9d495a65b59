"""Operators that go on from a recorded step, in every kind of world; recorded, and exact in replay."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from mosaic.protocol.branches import origin_of
from mosaic.protocol.sessions import Seat
from mosaic.replay.branch import Going, plan_branch
from mosaic.replay.resimulator import Resimulator
from mosaic.store.reader import StoreReader
from mosaic_worker.replay.playing_on import Plan, play_on
from tests.by_hand import playing, settle
from tests.replay.branched import branched
from tests.replay.recorded import LOOP, VECTOR, record

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import RunFolder

GAME = """
from pettingzoo.classic import tictactoe_v3
env = tictactoe_v3.env()
for episode in range(2):
    env.reset(seed=episode)
    for move in (0, 4, 1, 5):
        env.last()
        env.step(move)
"""
DICTS = """
import gymnasium as gym
class Pair(gym.Env):
    '''Agent `late` joins after three steps; the episode ends after eight.'''
    possible_agents = agents = ["early"]
    observation_space = action_space = gym.spaces.Discrete(99)
    def get_action_space(self, agent):
        return gym.spaces.Discrete(3)
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        return {"early": 0}, {}
    def step(self, action):
        self.at += 1
        here = ["early"] + (["late"] if self.at >= 3 else [])
        rewards = {name: float(action.get(name, 0)) for name in here}
        return {name: self.at for name in here}, rewards, {"__all__": self.at == 8}, {"__all__": False}, {}
"""
DICTS_LOOP = """
from pair import Pair
env = Pair()
env.reset(seed=1)
env.step({"early": 1})
env.step({"early": 2})
env.close()
"""
MIND = """
from mosaic_worker.operators import Choice
def act(view):
    legal = [i for i, fine in enumerate(view.mask) if fine] if view.mask is not None else [1]
    return Choice(legal[-1], {"value": view.step})
"""
SILENT = """
import sys, time
sys.stdin.readline(); print('{"ready": true}', flush=True)
time.sleep(600)
"""


@pytest.fixture
def mind(tmp_path: Path) -> Seat:
    path = tmp_path / "mind.py"
    path.write_text(MIND)
    return Seat(kind="python", name="mind", path=str(path))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    found = tmp_path / "home"
    found.mkdir(mode=0o700)
    return found


def decided(reader: StoreReader, episode: int) -> list[tuple[int, int, str]]:
    """Of each decision about an episode: the step, the operator's own count, the operator."""
    events = (json.loads(event.data) for event in reader.events("decision", episode=episode))
    return [(one["step"], one["data"]["value"], one["operator"]) for one in events]


def all_exact(run: RunFolder, *, allowed: tuple[str, ...] = ()) -> None:
    with StoreReader(run) as reader, Resimulator(run, reader, allowed=allowed) as resimulator:
        verdicts = [resimulator.judge(row) for row in reader.episodes()]
    assert verdicts
    assert [verdict.sentence() for verdict in verdicts if not verdict.exact] == []


def test_one_environment_goes_on_with_its_operator_counting_from_the_branch(home: Path, mind: Seat) -> None:
    parent = record(home, LOOP.format(imports="", make='"CartPole-v1"', seed=5, episodes=3, steps=60))
    branch = branched(parent, 2, 4, seat=mind, max_steps=3)
    with StoreReader(branch) as reader:
        origin = origin_of(reader.config().args)
        assert origin is not None
        twin = origin.twin(reader.episodes())
        assert twin is not None
        assert decided(reader, twin) == [(4, 0, "mind"), (5, 1, "mind"), (6, 2, "mind")]
        assert reader.config().args["seats"] == {"operator": "mind"}
    all_exact(branch)


def test_every_position_of_a_vector_environment_has_an_operator_of_its_own(home: Path, mind: Seat) -> None:
    script = VECTOR.format(
        imports="", make='"CartPole-v1"', num_envs=2, mode="vector_entry_point", more="", seed=3, steps=50
    )
    parent = record(home, script)
    with StoreReader(parent) as reader:
        row = [row for row in reader.episodes() if row.env_index == 1][1]  # its second one there
    branch = branched(parent, row.index, 2, seat=mind, max_steps=5)
    with StoreReader(branch) as reader:
        origin = origin_of(reader.config().args)
        assert origin is not None
        assert (origin.position, origin.nth) == (1, 1)
        twin = origin.twin(reader.episodes())
        assert twin is not None
        assert [step for step, _, _ in decided(reader, twin)] == [2, 3, 4, 5, 6]
        with StoreReader(parent) as old:
            expected = [step.action for step in old.steps(row.index)][:2]
        assert [step.action for step in reader.steps(twin)] == [*expected, 1, 1, 1, 1, 1]
    all_exact(branch)


def test_players_of_a_board_game_go_on_from_the_turn_of_either(home: Path, mind: Seat) -> None:
    parent = record(home, GAME)
    with StoreReader(parent) as reader:
        second = [row for row in reader.episodes() if row.agent_id == "player_2"][1]
    branch = branched(parent, second.index, 1, seat=mind)
    with StoreReader(branch) as reader:
        rows = {row.agent_id: row for row in reader.episodes()}
        found = {agent: decided(reader, row.index) for agent, row in rows.items()}
        assert [step.action for step in reader.steps(rows["player_1"].index)][:2] == [0, 8]
    assert found["player_1"][0] == (1, 0, "mind")
    assert found["player_2"][0] == (1, 0, "mind")
    all_exact(branch)


def test_an_agent_that_joins_late_gets_everybodys_operator_then(home: Path, mind: Seat) -> None:
    parent = record(home, DICTS_LOOP, modules={"pair.py": DICTS})
    with StoreReader(parent) as reader:
        spec = plan_branch(
            parent, reader, 0, 2, run_id="late", going=Going(seats={"*": mind}), allowed=["pair"]
        )
    program = "import sys\nfrom mosaic_worker.replay.branch import main\nsys.exit(main({!r}))\n"
    branch = record(home, program.format(spec.command[-1]))
    with StoreReader(branch) as reader:
        rows = {row.agent_id: row for row in reader.episodes()}
        assert {agent: (row.steps, row.outcome) for agent, row in rows.items()} == {
            "early": (8, "terminated"),
            "late": (5, "terminated"),
        }
        assert decided(reader, rows["late"].index)[0] == (0, 0, "mind")
    all_exact(branch, allowed=("pair",))


@pytest.mark.parametrize(
    ("seats", "more", "code", "said"),
    [
        ({"*": {"kind": "cmd", "name": "gone", "argv": ["/no/such"]}}, {}, 2, "/no/such cannot be started"),
        ({}, {}, 2, "nobody decides for"),
        (
            {"*": {"kind": "cmd", "name": "silent", "argv": [sys.executable, "-c", SILENT]}},
            {"deadline_secs": 0.2},
            1,
            "operator 'silent' failed: it took longer than 0.2 s to decide",
        ),
    ],
)
def test_what_cannot_go_on_says_why(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    seats: dict[str, Any],
    more: dict[str, Any],
    code: int,
    said: str,
) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)  # this process keeps its own handlers
    env = {"api": "gymnasium", "id": "CartPole-v1", "kwargs": {}}
    units = [{"reset": {"seed": 3}, "turns": []}]
    assert play_on(Plan(env=env, units=units, turn=0, seats=seats, told={}, **more)) == code
    assert said in capsys.readouterr().err


def test_a_person_goes_on_from_a_recorded_step_and_the_whole_replays(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    walk = LOOP.format(
        imports="",
        make='"FrozenLake-v1", is_slippery=False, max_episode_steps=3',
        seed=1,
        episodes=1,
        steps=9,
    ).replace("env.action_space.sample()", "1 if _ < 2 else 0")
    parent = record(home, walk)
    going = Going(seats={"*": Seat(kind="person", name="person")})
    with StoreReader(parent) as reader:
        spec = plan_branch(parent, reader, 0, 2, run_id="01ARZ3NDEKTSV4RRFFQ69G5FAV", going=going)
    script = tmp_path / "branch.py"
    script.write_text(
        "import sys\nfrom mosaic_worker.replay.branch import main\nsys.exit(main(sys.argv[1]))\n"
    )
    with playing(home, str(script), spec.command[-1]) as me:
        assert not me.order("take")
        told = me.until(lambda now: now.seats[0].waits)
        assert (told.seed, told.tick) == (1, 2), "of the episode that goes on"
        me.act(2)  # from the cell two below the first: the third step, and the time limit's last
        assert me.process.wait(60) == 0
    settle(me.folder)
    with StoreReader(me.folder) as reader, Resimulator(me.folder, reader) as resimulator:
        [row] = reader.episodes()
        assert [step.action for step in reader.steps(0)] == [1, 1, 2]
        [said] = [json.loads(event.data) for event in reader.events("decision")]
        assert resimulator.judge(row).exact
    assert (said["operator"], said["step"]) == ("person", 2)
    assert (me.folder.path / "stdout.log").read_text() == "played 2 steps as recorded, then 1 more\n"


def test_whoever_leaves_a_branch_ends_it_where_it_stands(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    walk = LOOP.format(imports="", make='"FrozenLake-v1", is_slippery=False', seed=1, episodes=1, steps=3)
    parent = record(home, walk.replace("env.action_space.sample()", "0"))
    going = Going(seats={"*": Seat(kind="person", name="person")})
    with StoreReader(parent) as reader:
        spec = plan_branch(parent, reader, 0, 1, run_id="01ARZ3NDEKTSV4RRFFQ69G5FAV", going=going)
    script = tmp_path / "branch.py"
    script.write_text(
        "import sys\nfrom mosaic_worker.replay.branch import main\nsys.exit(main(sys.argv[1]))\n"
    )
    with playing(home, str(script), spec.command[-1]) as me:
        assert not me.order("take")
        me.act(1)
        me.act(1)
        assert "there is no reset here" in me.order("reset")
        me.leave()
    assert (me.folder.path / "stdout.log").read_text() == "played 1 steps as recorded, then 2 more\n"
