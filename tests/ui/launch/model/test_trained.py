"""What was trained: grouped, the newest good one marked, and an evaluation that says why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mosaic.artifacts.checkpoints import Known
from mosaic.protocol.rows import CheckpointRow
from mosaic.protocol.runs import RunState
from mosaic.runners.parameters import convert
from mosaic.ui.launch.model.form import Form
from mosaic.ui.launch.model.trained import Trained, evaluation_form, facts_of, score_of, title_of

STATES = {"good": RunState.FINISHED, "bad": RunState.FAILED, "live": RunState.RUNNING}


def known(path: str, *, run: str = "good", t: float = 1.0, **more: Any) -> Known:
    meta = {"reason": "final", "metrics": {"return_mean": 2.5}, "holds": ["weights"], "lacks": ["buffer"]}
    row = CheckpointRow(path=path, sha256="ab" * 32, bytes=3, step=1000, kind=None, t=t, meta=meta)
    fields: dict[str, Any] = {"runner": "sb3", "algorithm": "ppo", "env_id": "CartPole-v1", "trusted": True}
    fields |= {"intact": True, "run_id": run, "run_name": "named", **more}
    return Known(path=Path("/") / path, row=row, **fields)


def trained() -> Trained:
    return Trained(state_of=STATES.get, needs_trust=lambda runner: runner != "tabular")


def form(**texts: str) -> Form:
    return evaluation_form(convert=convert, texts=texts)


def test_checkpoints_are_grouped_and_the_newest_of_a_good_training_is_marked() -> None:
    made = trained()
    made.show(
        [
            known("live", run="live", t=9.0),
            known("new", t=5.0),
            known("old", t=1.0),
            known("lost", t=7.0, intact=False, note="gone"),
            known("taxi", env_id="Taxi-v4"),
            known("other", runner="sbx"),
            known("pruned", t=8.0, pruned=True, intact=False),
        ]
    )
    first, second = made.shelves("sb3")
    assert (first.env_id, first.algorithm) == ("CartPole-v1", "ppo")
    assert [str(one.path) for one in first.members] == ["/live", "/lost", "/new", "/old"]
    assert first.highlight == "/new"
    assert second.env_id == "Taxi-v4"
    assert made.shelves("tabular") == []


def test_of_runs_that_were_looked_at_again_only_theirs_are_replaced() -> None:
    made = trained()
    made.show([known("a"), known("b"), known("live", run="live")])
    made.add(known("mine", run=""), runner="sb3", algorithm="ppo")

    def paths() -> set[str]:
        return {str(one.path) for shelf in made.shelves("sb3") for one in shelf.members}

    made.show([known("b"), known("c")], of={"good"})
    assert paths() == {"/b", "/c", "/live", "/mine"}
    made.forget({"live"})
    assert paths() == {"/b", "/c", "/mine"}
    made.show([known("c")])
    assert paths() == {"/c", "/mine"}


def test_a_chosen_checkpoint_that_can_be_used_blocks_nothing() -> None:
    made = trained()
    assert made.blocked(form(), runner="sb3") == "Looking for checkpoints…"
    made.show([known("a")])
    assert made.blocked(form(), runner="sb3") == "Choose a checkpoint."
    made.choose("/a")
    assert made.blocked(form(), runner="sb3") == ""
    assert made.blocked(form(), runner="sbx") == "Choose a checkpoint."
    assert made.blocked(form(episodes="0"), runner="sb3").startswith("episodes is a whole number >= 1")
    made.began("Starting…")
    assert made.blocked(form(), runner="sb3") == "Starting…"


def test_another_environment_than_the_trained_one_is_refused_until_it_is_switched() -> None:
    made = trained()
    made.show([known("a")])
    made.choose("/a")
    typed = form(env_id="Taxi-v4")
    assert made.mismatch(typed) == "CartPole-v1"
    assert made.blocked(typed, runner="sb3") == "It was trained on CartPole-v1, not on Taxi-v4."
    typed.set("env_id", "CartPole-v1")
    assert made.blocked(typed, runner="sb3") == ""


def test_bytes_that_could_run_code_need_trust_and_others_do_not() -> None:
    made = trained()
    made.show([known("a", trusted=False), known("t", runner="tabular", trusted=False)])
    made.choose("/a")
    assert made.untrusted()
    assert made.blocked(form(), runner="sb3") == "Say first that you trust this file."
    made.update(known("a", trusted=True))
    assert made.blocked(form(), runner="sb3") == ""
    made.choose("/t")
    assert made.blocked(form(), runner="tabular") == ""


def test_a_damaged_file_says_what_is_wrong_with_it() -> None:
    made = trained()
    made.show([known("a", intact=False, note="it is not there: gone")])
    made.choose("/a")
    assert made.blocked(form(), runner="sb3") == "This checkpoint cannot be used: it is not there: gone."


def test_a_file_of_no_run_is_taken_for_what_is_chosen_and_needs_an_environment() -> None:
    made = trained()
    made.show([])
    made.add(known("x", run="", runner="", algorithm="", env_id=""), runner="sb3", algorithm="dqn")
    assert made.chosen is not None
    assert (made.chosen.runner, made.chosen.algorithm) == ("sb3", "dqn")
    assert made.blocked(form(), runner="sb3").startswith("Environment: nobody recorded")
    assert made.blocked(form(env_id="CartPole-v1"), runner="sb3") == ""
    made.show([known("a")])
    assert made.chosen is not None, "files named by hand outlive a new look"


def test_a_refusal_keeps_the_choice_and_the_next_choice_forgets_the_refusal() -> None:
    made = trained()
    made.show([known("a"), known("b")])
    made.choose("/a")
    made.ended(problem="no such file")
    assert made.chosen is not None
    assert made.problem == "no such file"
    made.choose("/b")
    assert made.problem == ""


def test_what_was_hashed_once_stays_known_after_a_new_look() -> None:
    made = trained()
    made.show([known("a", intact=None)])
    made.update(known("a", intact=True))
    made.show([known("a", intact=None)])
    made.choose("/a")
    assert made.chosen is not None
    assert made.chosen.intact is True
    made.show([known("a", intact=False, note="gone")])
    assert made.chosen.intact is False


def test_words_about_a_checkpoint_are_harmless_and_whole() -> None:
    one = known("a\x1b[31m")
    assert score_of(one) == 2.5
    assert title_of(one) == "final · step 1,000 · return 2.5"
    facts = facts_of(one)
    assert "\x1b" not in facts
    assert f"{'ab' * 16}\n{'ab' * 16}" in facts
    assert "Holds: weights" in facts
    assert "Lacks: buffer" in facts
    assert "Integrity: matches its record" in facts


def test_a_score_that_is_no_number_is_none() -> None:
    one = known("a")
    one.row.meta["metrics"] = {"return_mean": "much"}
    assert score_of(one) is None
    one.row.meta["metrics"] = None
    assert score_of(one) is None
