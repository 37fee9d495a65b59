from __future__ import annotations

import json
from typing import Any

import pytest
from ulid import ULID

from mosaic.errors import ReplayError, UsageError
from mosaic.paths import DataRoot, RunFolder
from mosaic.protocol.sessions import Seat
from mosaic.replay.branch import Going, check_seats, plan_branch
from mosaic.store.reader import StoreReader
from mosaic_worker.replay.playing_on import Plan

NOOP = Seat(kind="noop", name="noop")
GOING = Going(seats={"*": NOOP})


def test_a_branch_knows_its_parent_and_what_to_play(keeps: RunFolder) -> None:
    run_id = str(ULID())
    with StoreReader(keeps) as reader:
        spec = plan_branch(
            keeps, reader, 4, 3, run_id=run_id, going=GOING, tags={"mine": "1"}, allowed=["keeps"]
        )
    assert (spec.parent, spec.run_id) == (keeps.run_id, run_id)
    assert spec.tags == {"mine": "1", "branch.episode": "4", "branch.step": "3"}
    plan = DataRoot(keeps.path.parent.parent).branches / f"{run_id}.json"
    assert plan.stat().st_mode & 0o077 == 0
    found = json.loads(plan.read_text())
    assert (found["turn"], found["seats"], len(found["units"])) == (
        3,
        {"*": {"kind": "noop", "name": "noop"}},
        3,
    )
    assert found.keys() == set(Plan._fields)
    plan.unlink()


def test_there_is_no_branch_from_beyond_the_end_or_from_what_is_not_exact(
    keeps: RunFolder, lucky: RunFolder
) -> None:
    with StoreReader(keeps) as reader, pytest.raises(UsageError, match="branch from 0 to 5"):
        plan_branch(keeps, reader, 0, 6, run_id="x", going=GOING, allowed=["keeps"])
    with StoreReader(lucky) as reader:
        with pytest.raises(ReplayError, match="exact state of step 5"):
            plan_branch(lucky, reader, 0, 5, run_id="x", going=GOING, allowed=["lucky"])
        spec = plan_branch(lucky, reader, 0, 3, run_id=str(ULID()), going=GOING, allowed=["lucky"])
        assert spec.parent == lucky.run_id


@pytest.mark.parametrize(
    ("seats", "said"),
    [
        ({"player_1": NOOP}, "one actor: use --operator instead of --seat player_1="),
        ({"*": NOOP, "nobody": NOOP}, "one actor"),
    ],
)
def test_a_seat_of_somebody_who_is_not_there_is_refused(
    keeps: RunFolder, seats: dict[str, Seat], said: str
) -> None:
    with StoreReader(keeps) as reader, pytest.raises(UsageError, match=said):
        plan_branch(keeps, reader, 0, 2, run_id="x", going=Going(seats=seats), allowed=["keeps"])


AGENTS: dict[str, Any] = {"agents": ["player_1", "player_2"]}
VECTOR: dict[str, Any] = {"vector": True, "num_envs": 17}


@pytest.mark.parametrize(
    ("env", "seats", "said"),
    [
        (AGENTS, {"*": NOOP, "player_3": NOOP}, "no agent 'player_3'. Did you mean 'player_[12]'"),
        (AGENTS, {"player_1": NOOP}, "nobody decides for player_2: add --seat player_2=random"),
        (VECTOR, {"*": Seat(kind="cmd", name="cmd:x", argv=["x"])}, "cmd:x would be 17 processes"),
        (VECTOR, {"*": NOOP, "17": NOOP}, "no agent '17'"),
    ],
)
def test_every_agent_has_one_operator_and_processes_are_few(
    env: dict[str, Any], seats: dict[str, Seat], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        check_seats(env, seats)
    check_seats(env, {"*": NOOP})
