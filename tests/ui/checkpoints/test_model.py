"""Checkpoints in words: groups, the one to use, and why something cannot be done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from mosaic.artifacts.checkpoints import Known
from mosaic.protocol.cards import Capabilities
from mosaic.protocol.rows import CheckpointRow
from mosaic.protocol.runs import RunRow, RunState
from mosaic.ui.checkpoints.model import Checkpoints, by_kind, by_run, card

ABLE = Capabilities(supports_eval=True, supports_warmstart=True)


def known(run_id: str = "A", *, t: float = 1.0, step: int | None = 1000, **more: Any) -> Known:
    meta = {"reason": "best", "metrics": {"return_mean": 12.5}, "holds": ["policy"], "lacks": ["optimizer"]}
    row = CheckpointRow(
        path="checkpoints/x.zip",
        sha256="ab" * 32,
        bytes=2048,
        step=step,
        kind="policy",
        t=t,
        meta=meta,
        seq=int(t),
    )
    given: dict[str, Any] = {"runner": "sb3", "algorithm": "ppo", "env_id": "CartPole-v1", "intact": None}
    given |= {"trusted": True, **more}
    return Known(
        run_id=run_id, run_name=f"run {run_id}", path=Path("/runs") / run_id / "x.zip", row=row, **given
    )


def run(run_id: str, state: RunState = RunState.FINISHED) -> RunRow:
    return RunRow(run_id=run_id, name=run_id, state=state, reason="", created=0.0, command=["x"])


def test_a_card_says_what_there_is_to_know() -> None:
    found = card(known(), capabilities=ABLE)
    assert (found.title, found.reason, found.return_, found.size) == ("1,000", "best", "12.50", "2.0 KiB")
    assert found.state == "not verified"
    about = dict(found.about)
    assert about["Holds"] == "policy"
    assert about["Lacks"] == "optimizer"
    assert about["SHA-256"] == "ab" * 32
    assert (found.cannot_evaluate, found.cannot_train) == ("", "")


def test_integrity_and_trust_are_told() -> None:
    assert card(known(intact=True), capabilities=ABLE).state == "intact"
    assert card(known(intact=None, trusted=False), capabilities=ABLE).state == "not verified, not trusted"
    assert card(known(intact=False, note="it is not there"), capabilities=ABLE).state == "it is not there"


@pytest.mark.parametrize(
    ("one", "able", "why"),
    [
        (known(intact=False, note="it is not there"), ABLE, "nothing to evaluate: it is not there"),
        (known(runner=""), ABLE, "plain script"),
        (known(runner="script"), Capabilities(), "mosaic eval /runs/A/x.zip -- python play.py"),
        (known(), None, "sb3 is not installed"),
        (known(), Capabilities(supports_warmstart=True), "cannot evaluate"),
    ],
)
def test_why_a_checkpoint_cannot_be_evaluated(one: Known, able: Capabilities | None, why: str) -> None:
    assert why in card(one, capabilities=able).cannot_evaluate


def test_training_from_it_needs_a_runner_that_can() -> None:
    assert "cannot train from" in card(known(), capabilities=Capabilities(supports_eval=True)).cannot_train


def test_one_runs_checkpoints_stand_under_its_name_with_the_newest_usable_one_marked() -> None:
    found = [known(t=3.0, intact=False, note="gone"), known(t=2.0), known(t=1.0)]
    (group,) = by_run(found, name="mine", capabilities={"sb3": ABLE}, runs={"A": run("A")})
    assert group.title == "mine"
    assert [one.newest for one in group.cards] == [False, True, False]
    assert by_run([], name="mine", capabilities={}, runs={}) == []


def test_all_runs_are_grouped_by_environment_and_algorithm_with_the_focus_first() -> None:
    found = [
        known("A", t=9.0, env_id="FrozenLake-v1", algorithm="q"),
        known("B", t=8.0),
        known("C", t=7.0),
        known("D", t=6.0, env_id="", algorithm="", runner=""),
    ]
    runs = {name: run(name) for name in "ACD"} | {"B": run("B", RunState.FAILED)}
    groups = by_kind(found, focus="C", capabilities={"sb3": ABLE}, runs=runs)
    assert [group.title for group in groups] == ["CartPole-v1 · ppo", "FrozenLake-v1 · q", "Other files"]
    assert [one.known.run_id for one in groups[0].cards] == ["C", "B"]
    assert [one.newest for one in groups[0].cards] == [True, False], "of the run that failed none is marked"


def test_what_workers_wrote_is_made_visible_and_odd_records_do_no_harm() -> None:
    odd = known(note="")
    odd = msgspec.structs.replace(
        odd,
        run_name="x\x1b[2J",
        row=msgspec.structs.replace(odd.row, meta={"metrics": "no dict", "holds": 3}, bytes=None, step=None),
    )
    found = card(odd, capabilities=ABLE)
    assert (found.title, found.return_, found.size) == ("-", "-", "-")
    assert dict(found.about)["Run"] == "x\\x1b[2J"


def test_a_list_says_why_it_is_empty() -> None:
    listed = Checkpoints()
    assert listed.empty.startswith("Choose a run")
    listed.turn_to("A")
    assert listed.empty == "Loading…"
    listed.take([], {})
    assert listed.empty.startswith("This run has saved no checkpoint")
    listed.take([known()], {"sb3": ABLE})
    assert listed.empty == ""
    listed.fail("the disk refuses")
    assert listed.empty == "the disk refuses"
    listed.show_everywhere(True)
    assert (listed.empty, listed.known) == ("Loading…", [])
    listed.take([], {})
    assert listed.empty.startswith("No run has saved")


def test_other_checkpoints_are_asked_for_only_when_others_are_wanted() -> None:
    listed = Checkpoints()
    asked: list[tuple[str | None, bool]] = []
    listed.asked.connect(lambda: asked.append((listed.run_id, listed.everywhere)))
    listed.turn_to("A")
    listed.turn_to("A")
    listed.show_everywhere(False)
    listed.show_everywhere(True)
    listed.take([known("A"), known("B", algorithm="a")], {"sb3": ABLE})
    listed.turn_to("B")
    assert asked == [("A", False), ("A", True)]
    groups = listed.groups([run("A"), run("B")])
    assert [group.title for group in groups] == ["CartPole-v1 · a", "CartPole-v1 · ppo"], "the focus first"


def test_what_was_verified_stays_so_while_others_come_and_can_be_compared_anew() -> None:
    listed = Checkpoints()
    listed.turn_to("A")
    listed.take([known()], {"sb3": ABLE})
    listed.take_verified(known(intact=True))
    listed.take([known(t=2.0), known()], {"sb3": ABLE})
    (group,) = listed.groups([run("A")])
    assert [one.state for one in group.cards] == ["not verified", "intact"]
    assert listed.unverified(group.cards[1]) == known()
