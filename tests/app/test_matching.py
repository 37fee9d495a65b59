from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mosaic.app.matching import match_of
from mosaic.errors import UsageError
from mosaic.store.reader import StoreReader
from tests.replay.recorded import record

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "import sys\nfrom mosaic_worker.drivers.session import main\nsys.exit(main([{!r}]))\n"


def played(tmp_path: Path, **plan: Any) -> Any:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return record(home, PROGRAM.format(json.dumps({"env_id": "CartPole-v1", "api": "copies", **plan})))


def test_sides_pairs_and_the_steps_where_they_part(tmp_path: Path) -> None:
    path = tmp_path / "path.json"
    path.write_text(json.dumps([0, 1] * 300))
    twin = {"kind": "actions", "name": "list", "path": str(path)}
    seats = {"one": twin, "two": twin, "none": {"kind": "noop", "name": "noop"}}
    with StoreReader(played(tmp_path, seats=seats, seeds=[[3, 3]])) as reader:
        match = match_of(reader)
    assert [(side.seat, side.operator, len(side.episodes)) for side in match.sides] == [
        ("one", "list", 1),
        ("two", "list", 1),
        ("none", "noop", 1),
    ]
    same, other, _ = match.pairs
    assert (same.paired.ties, same.splits[0].step) == (1, None)
    assert other.splits[0].step == 1  # the first action is the same, the second is not
    assert "action" in other.splits[0].what
    assert match.sides[0].iqm is not None
    assert match.sides[0].iqm.interval is None  # one episode says nothing of the spread


def test_an_episode_that_was_cut_is_left_out_and_named(tmp_path: Path) -> None:
    mind = tmp_path / "mind.py"
    mind.write_text("def act(view):\n    if view.step == 3:\n        raise SystemExit(0)\n    return 0\n")
    seats = {"a": {"kind": "python", "name": "a", "path": str(mind)}, "b": {"kind": "noop", "name": "b"}}
    with StoreReader(played(tmp_path, seats=seats, seeds=[[1, 1]])) as reader:
        match = match_of(reader)
    assert match.sides[0].iqm is None
    (left,) = match.pairs[0].paired.unpaired
    assert (left.seed, "failed" in left.why) == (1, True)


def test_a_run_that_is_no_match_says_so(tmp_path: Path) -> None:
    plan = {"api": "single", "seats": {"*": {"kind": "noop", "name": "noop"}}, "seeds": [[1, 1]]}
    with StoreReader(played(tmp_path, **plan)) as reader, pytest.raises(UsageError, match="not a match"):
        match_of(reader)
