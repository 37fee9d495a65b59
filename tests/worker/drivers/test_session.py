"""A session played as a program, recorded and replayed."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from mosaic.replay.resimulator import Resimulator
from mosaic.store.reader import StoreReader
from mosaic_worker.drivers import session
from mosaic_worker.drivers.session import Plan, table
from mosaic_worker.session.played import Episode
from tests.replay.recorded import record

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import RunFolder

RANDOM = {"kind": "random", "name": "random"}
PROGRAM = "import sys\nfrom mosaic_worker.drivers.session import main\nsys.exit(main([{!r}]))\n"


def played(tmp_path: Path, **plan: Any) -> RunFolder:
    home = tmp_path / "home"
    home.mkdir(mode=0o700, exist_ok=True)
    return record(home, PROGRAM.format(json.dumps(plan)), to_stdout=True)


def test_an_episode_with_each_seed_recorded_and_exact_in_replay(tmp_path: Path) -> None:
    folder = played(tmp_path, env_id="CartPole-v1", seats={"*": RANDOM}, seeds=[[4, 4], [7, 7], [4, 4]])
    lines = folder.stdout.read_text().splitlines()
    assert [line.split(":")[0] for line in lines[:3]] == [
        "1 of 3, seed 4",
        "2 of 3, seed 7",
        "3 of 3, seed 4",
    ]
    assert lines[0].split(": ")[1] == lines[2].split(": ")[1]  # the same seed, the same episode
    assert lines[3].split() == ["seat", "operator", "episodes", "return", "length"]
    with StoreReader(folder) as reader, Resimulator(folder, reader) as resimulator:
        rows = list(reader.episodes())
        assert [row.seed for row in rows] == [4, 7, 4]
        assert [row.outcome for row in rows] == ["terminated"] * 3
        assert {row.role for row in rows} == {None}  # neither training nor evaluation
        assert all(resimulator.judge(row).exact for row in rows)
        values = [point.value for point in reader.metrics(name="session/return")]
    assert values == [row.return_ for row in rows]


def test_max_steps_truncate_an_episode(tmp_path: Path) -> None:
    folder = played(tmp_path, env_id="CartPole-v1", seats={"*": RANDOM}, seeds=[[1, 2]], max_steps=5)
    with StoreReader(folder) as reader:
        assert [(row.steps, row.outcome) for row in reader.episodes()] == [(5, "truncated")] * 2


def test_agents_have_operators_of_their_own(tmp_path: Path) -> None:
    mind = tmp_path / "mind.py"
    mind.write_text("def act(view):\n    return next(i for i, legal in enumerate(view.mask) if legal)\n")
    seats = {"*": RANDOM, "player_2": {"kind": "python", "name": "python:mind.py", "path": str(mind)}}
    folder = played(
        tmp_path, env_id="pettingzoo.classic.tictactoe_v3", api="aec", seats=seats, seeds=[[1, 3]]
    )
    text = folder.stdout.read_text()
    assert "player_1  random          3" in text
    assert "player_2  python:mind.py  3" in text
    with StoreReader(folder) as reader, Resimulator(folder, reader) as resimulator:
        rows = list(reader.episodes())
        assert len(rows) == 6
        assert '"render_mode": "rgb_array"' in json.dumps(reader.reset(rows[0].index)["env"])  # to be watched
        assert all(resimulator.judge(row).exact for row in rows)
        by = {
            json.loads(event.data)["operator"]
            for event in reader.events("decision", episode=rows[1].episode_id)
        }
    assert by <= {"random", "python:mind.py"}


BAD = """
import json, sys
sys.stdin.readline(); print(json.dumps({"ready": True}), flush=True)
for number, line in enumerate(sys.stdin):
    m = json.loads(line)
    if m["ask"] == "act":
        if number > 4:
            sys.exit(1)
        print(json.dumps({"id": m["id"], "action": 0}), flush=True)
"""


def bad(tmp_path: Path) -> dict[str, Any]:
    file = tmp_path / "bad.py"
    file.write_text(BAD)
    return {"kind": "cmd", "name": "bad", "argv": [sys.executable, str(file)]}


def test_when_an_operator_dies_another_one_goes_on_and_it_is_counted(tmp_path: Path) -> None:
    folder = played(
        tmp_path, env_id="CartPole-v1", seats={"*": bad(tmp_path)}, seeds=[[1, 2]], on_failure="random"
    )
    with StoreReader(folder) as reader:
        rows = list(reader.episodes())
        assert [row.outcome for row in rows] == ["terminated"] * 2
        failures = [point.value for point in reader.metrics(name="session/failures")]
        logs = [json.loads(event.data)["text"] for event in reader.events("log")]
    # It decided four times; then it failed at every step, and could not begin the second episode either.
    assert failures == [sum(row.steps for row in rows) - 4 + 1]
    assert any("'bad' failed: it ended with code 1" in text and "'random' decides" in text for text in logs)


THINKING = """
import json, sys
import gymnasium as gym
sys.stdin.readline(); print(json.dumps({"ready": True}), flush=True)
mine = gym.make("CartPole-v1")
for line in sys.stdin:
    m = json.loads(line)
    if m["ask"] == "act":
        mine.reset(seed=1)
        mine.step(0)
        print(json.dumps({"id": m["id"], "action": 0}), flush=True)
"""


def test_what_an_operators_process_simulates_to_decide_is_no_episode_of_the_session(tmp_path: Path) -> None:
    file = tmp_path / "thinking.py"
    file.write_text(THINKING)
    seat = {"kind": "cmd", "name": "thinking", "argv": [sys.executable, str(file)]}
    folder = played(tmp_path, env_id="CartPole-v1", seats={"*": seat}, seeds=[[1, 1]])
    with StoreReader(folder) as reader:
        assert [row.outcome for row in reader.episodes()] == ["terminated"]


def main_with(capsys: pytest.CaptureFixture[str], **plan: Any) -> tuple[int, str]:
    code = session.main([json.dumps({"env_id": "CartPole-v1", "seeds": [[1, 1]], **plan})])
    return code, capsys.readouterr().err


@pytest.fixture
def no_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process keeps its own handlers."""
    monkeypatch.setattr("signal.signal", lambda *_: None)


@pytest.mark.usefixtures("no_signals")
@pytest.mark.filterwarnings("ignore:The old environment creation API")
@pytest.mark.parametrize(
    ("plan", "code", "said"),
    [
        (
            {"seats": {"*": {"kind": "cmd", "name": "gone", "argv": ["/no/such"]}}},
            2,
            "/no/such cannot be started",
        ),
        ({"seats": {}}, 2, "nobody decides for"),
        ({"seats": {"nobody": RANDOM, "*": RANDOM}}, 2, "has no agent 'nobody'"),
        ({"seats": {"*": RANDOM}, "env_arguments": {"wings": 2}}, 2, "does not take env.wings=2"),
        ({"seats": {"*": RANDOM}, "env_id": "pettingzoo.classic.nothing_v0", "api": "aec"}, 2, "cannot make"),
        (
            {"seats": {"*": RANDOM}, "env_id": "pettingzoo.classic.tictactoe_v3", "api": "parallel"},
            2,
            "leave --parallel out",
        ),
    ],
)
def test_what_cannot_be_played_says_why(
    capsys: pytest.CaptureFixture[str], plan: dict[str, Any], code: int, said: str
) -> None:
    found, err = main_with(capsys, **plan)
    assert found == code
    assert said in err


@pytest.mark.usefixtures("no_signals")
def test_a_failing_operator_stops_the_session_unless_somebody_stands_in(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, err = main_with(capsys, seats={"*": bad(tmp_path)})
    assert (code, "operator 'bad' failed: it ended with code 1" in err) == (1, True)


def test_the_workbench_writes_plans_that_the_driver_reads() -> None:
    from mosaic.protocol.sessions import Session

    assert set(Session.__struct_fields__) | {"env_id", "env_arguments"} == set(Plan._fields)


def test_a_seat_that_ended_no_episode_has_no_figures() -> None:
    lines = table([("a", "random", [Episode("a", 1.0, 2)]), ("b", "noop", [])]).splitlines()
    assert lines[1].split() == ["a", "random", "1", "1.00", "2.0"]
    assert lines[2].split() == ["b", "noop", "0", "-", "-"]


def test_operators_that_change_seats_are_started_once_and_every_seed_is_played_in_every_seating(
    tmp_path: Path,
) -> None:
    mind = tmp_path / "mind.py"
    mind.write_text(
        "import os\nopen(os.environ['STARTED'], 'a').write('x')\n"
        "def act(view):\n    return next(i for i, legal in enumerate(view.mask) if legal)\n"
    )
    started = tmp_path / "started"
    first = {"kind": "python", "name": "python:mind.py", "path": str(mind)}
    program = PROGRAM.format(
        json.dumps(
            {
                "env_id": "pettingzoo.classic.tictactoe_v3",
                "api": "aec",
                "seats": {"first": first, "chance": RANDOM},
                "seeds": [[1, 2]],
                "seatings": [
                    {"player_1": "first", "player_2": "chance"},
                    {"player_1": "chance", "player_2": "first"},
                ],
                "games_before": 1,
            }
        )
    )
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    folder = record(home, f"import os\nos.environ['STARTED'] = {str(started)!r}\n{program}", to_stdout=True)
    assert started.read_text() == "x"
    with StoreReader(folder) as reader, Resimulator(folder, reader) as resimulator:
        rows = list(reader.episodes())
        assert [row.seed for row in rows] == [1, 1, 2, 2, 2, 2]
        assert all(resimulator.judge(row).exact for row in rows)
        sat = [
            (told["agent_id"], told["operator"])
            for event in reader.events("decision", step=0)
            for told in [json.loads(event.data)]
        ]
        returns = {name: reader.metrics(name=f"session/return/{name}") for name in ("first", "chance")}
        assert {name: len(list(values)) for name, values in returns.items()} == {"first": 3, "chance": 3}
    one, other = ("player_1", "python:mind.py"), ("player_2", "python:mind.py")
    assert [pair for pair in sat if pair in (one, other)] == [other, one, other]


def test_who_sits_twice_or_in_seats_of_other_spaces_has_an_operator_for_each(tmp_path: Path) -> None:
    seatings = [{"player_1": "chance", "player_2": "chance"}]
    folder = played(
        tmp_path,
        env_id="pettingzoo.classic.tictactoe_v3",
        api="aec",
        seats={"chance": RANDOM},
        seeds=[[1, 1]],
        seatings=seatings,
    )
    text = folder.stdout.read_text()
    assert "chance      random    1" in text
    assert "chance (2)  random    1" in text
