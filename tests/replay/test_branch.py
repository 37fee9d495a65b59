from __future__ import annotations

import json

import pytest
from ulid import ULID

from mosaic.errors import ReplayError, UsageError
from mosaic.paths import DataRoot, RunFolder
from mosaic.replay.branch import plan_branch
from mosaic.store.reader import StoreReader


def test_a_branch_knows_its_parent_and_what_to_play(keeps: RunFolder) -> None:
    run_id = str(ULID())
    with StoreReader(keeps) as reader:
        spec = plan_branch(keeps, reader, 4, 3, run_id=run_id, actions=[1, 2], allowed=["keeps"])
    assert (spec.parent, spec.run_id) == (keeps.run_id, run_id)
    assert spec.tags == {"branch.episode": "4", "branch.step": "3"}
    plan = DataRoot(keeps.path.parent.parent).branches / f"{run_id}.json"
    assert plan.stat().st_mode & 0o077 == 0
    found = json.loads(plan.read_text())
    assert (found["turn"], found["actions"], len(found["units"])) == (3, [1, 2], 3)
    plan.unlink()


def test_there_is_no_branch_from_beyond_the_end_or_from_what_is_not_exact(
    keeps: RunFolder, lucky: RunFolder
) -> None:
    with StoreReader(keeps) as reader, pytest.raises(UsageError, match="branch from 0 to 5"):
        plan_branch(keeps, reader, 0, 6, run_id="x", allowed=["keeps"])
    with StoreReader(lucky) as reader:
        with pytest.raises(ReplayError, match="exact state of step 5"):
            plan_branch(lucky, reader, 0, 5, run_id="x", allowed=["lucky"])
        assert plan_branch(lucky, reader, 0, 3, run_id=str(ULID()), allowed=["lucky"]).parent == lucky.run_id
