"""Two episodes on one line: whom one can be shown beside, what they share, where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mosaic.analysis.parting import RESET, Parting
from mosaic.protocol.runs import RunRow, RunState
from mosaic.ui.replay.beside_model import Pair, Track, counterparts, seats_of_text


def run(run_id: str, **more: Any) -> RunRow:
    given = {"name": "", "state": RunState.FINISHED, "reason": "", "created": 1.0, "command": []}
    return RunRow(run_id=run_id, **{**given, **more})


def at(episode: int, step: int) -> dict[str, str]:
    return {"branch.episode": str(episode), "branch.step": str(step)}


ROWS = [
    run("p", name="old"),
    run("b", parent="p", tags=at(3, 9)),
    run("c", parent="b", tags=at(0, 11), created=2.0, name="new"),
    run("d", parent="b", tags=at(0, 12), created=3.0),
    run("e", parent="gone", tags=at(0, 1)),
]


@pytest.mark.parametrize(
    ("run_id", "episode", "found"),
    [
        ("p", 3, [("b", False, 9)]),
        ("p", 2, []),
        ("b", 0, [("p", True, 9), ("d", False, 12), ("c", False, 11)]),
        ("e", 0, []),
        ("nobody", 0, []),
        (None, 0, []),
        ("p", None, []),
    ],
)
def test_an_episode_stands_beside_its_original_and_its_branches(
    run_id: str | None, episode: int | None, found: list[tuple[str, bool, int]]
) -> None:
    assert [(one.run_id, one.original, one.step) for one in counterparts(ROWS, run_id, episode)] == found


def test_what_there_is_to_choose_from_is_told_in_words() -> None:
    assert [one.title for one in counterparts(ROWS, "b", 0)] == [
        "Original: old, from step 9",
        "Branch: d, from step 12",
        "Branch: new, from step 11",
    ]


def track(*rewards: float, outcome: str = "") -> Track:
    return Track(run_id="r", name="n", episode=0, rewards=np.array(rewards, np.float64), outcome=outcome)


def pair(parting: Parting | None) -> Pair:
    return Pair(
        original=track(1, 1, 1, outcome="terminated"),
        branch=track(1, 1, 2, np.nan, 5),
        branched_at=1,
        parting=parting,
    )


def test_the_shorter_one_stands_still_on_its_last_frame() -> None:
    both = pair(Parting(step=2, what=("action", "reward")))
    assert both.last == 5
    assert (both.original.frame(4), both.branch.frame(4), both.branch.frame(-1)) == (3, 4, 0)
    assert both.original.told(4) == "step 3 of 3 · return 3 · terminated"
    assert both.original.told(2) == "step 2 of 3 · return 2"
    assert both.branch.told(5) == "step 5 of 5 · return 9"  # what is not a number is passed over


@pytest.mark.parametrize(
    ("parting", "shared", "parts_at", "sentence"),
    [
        (Parting(step=2, what=("action", "reward")), 2, 3, "The same up to step 2, then another action."),
        (Parting(step=3, what=("end",)), 3, 4, "The same up to step 3, then one of them ends."),
        (Parting(step=RESET, what=("observation",)), 0, 0, "They differ from the reset on."),
        (None, 3, None, "They are the same, all 3 steps."),
    ],
)
def test_where_they_part(parting: Parting | None, shared: int, parts_at: int | None, sentence: str) -> None:
    both = pair(parting)
    assert (both.shared, both.parts_at, both.sentence()) == (shared, parts_at, sentence)


@pytest.mark.parametrize(
    ("text", "seats"),
    [
        ("random", {"*": "random"}),
        ("  last:best ", {"*": "last:best"}),
        ("player_1=python:a.py; random", {"player_1": "python:a.py", "*": "random"}),
        ("cmd:node mind.js --depth=3", {"*": "cmd:node mind.js --depth=3"}),
        ("/tmp/a=b.zip", {"*": "/tmp/a=b.zip"}),
    ],
)
def test_who_goes_on_is_typed_in_one_line(text: str, seats: dict[str, str]) -> None:
    assert seats_of_text(text) == seats


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "who goes on"),
        (" ; ", "who goes on"),
        ("random; noop", "everybody has two operators: random, noop"),
        ("a=noop; a=random", "a has two operators"),
        ("a=", "who decides for a"),
    ],
)
def test_a_line_that_names_nobody_or_somebody_twice_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        seats_of_text(text)
