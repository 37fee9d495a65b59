"""Minari datasets, as far as minari itself is not needed; with it: tests/frameworks/test_minari.py."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from mosaic.errors import UsageError
from mosaic.exporting.minari import Chosen, Left, _sentence, check_id, default_id, export_minari

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.store.reader import StoreReader


@pytest.mark.parametrize(
    ("env", "run", "expected"),
    [
        ("CartPole-v1", "first try", "mosaic/cartpole-v1/first-try-v0"),
        ("ALE/Pong-v5", "Köln?", "mosaic/ale-pong-v5/k-ln-v0"),
        ("__main__:Env", "../..", "mosaic/__main__-env/run-v0"),
    ],
)
def test_the_default_id_is_one_that_minari_takes(env: str, run: str, expected: str) -> None:
    assert default_id(env, run) == expected
    assert check_id(expected) == expected


@pytest.mark.parametrize(
    "bad", ["", "cartpole", "../up-v0", "/abs-v0", "a//b-v0", "a b-v0", "x-v0/..", "x-v0\n"]
)
def test_an_id_that_is_none_or_a_way_out_of_the_folder_is_refused(bad: str) -> None:
    with pytest.raises(UsageError, match="is not a dataset id"):
        check_id(bad)


def test_an_interpreter_without_minari_is_told_and_nothing_is_left(
    reader: StoreReader, tmp_path: Path
) -> None:
    into = tmp_path / "datasets"
    with pytest.raises(UsageError, match=r"cannot write Minari datasets: .*minari.*--install"):
        export_minari([reader._folder], Chosen(), python=sys.executable, into=into)
    assert not into.exists()


def test_episodes_with_one_reason_are_named_together() -> None:
    left = [Left(run_id="r", episode=number, why="without a step") for number in range(7)]
    told = _sentence([*left, Left(run_id="s", episode=9, why="diverged at step 3")])
    assert told.startswith(
        "8 episodes cannot be written: episodes 0, 1, 2, 3, 4 and 2 more of run r: without a step"
    )
    assert "; episode 9 of run s: diverged at step 3. To leave" in told
    many = [Left(run_id="r", episode=number, why=f"diverged at step {number}") for number in range(8)]
    assert "and more for 3 other reasons" in _sentence(many)
