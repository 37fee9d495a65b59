from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.testing import check_operator

if TYPE_CHECKING:
    from pathlib import Path


def test_a_good_one_has_no_problem() -> None:
    assert check_operator("random") == []


def test_one_that_answers_rubbish_is_found_out(tmp_path: Path) -> None:
    mind = tmp_path / "mind.py"
    mind.write_text("def act(view):\n    return 'left'\n")
    (problem,) = check_operator(f"python:{mind}")
    assert "not an action of Discrete(2)" in problem


def test_one_that_does_not_exist_or_has_nowhere_to_play_is_found_out() -> None:
    (problem,) = check_operator("python:/no/such.py")
    assert "there is no file" in problem
    (problem,) = check_operator("random", env_id="CartPol-v1")
    assert "CartPole-v1" in problem


def test_one_that_never_ends_is_given_up(tmp_path: Path) -> None:
    mind = tmp_path / "mind.py"
    mind.write_text("import time\ndef act(view):\n    time.sleep(600)\n")
    (problem,) = check_operator(f"python:{mind}", timeout_secs=3.0)
    assert "took longer than 3 s" in problem
