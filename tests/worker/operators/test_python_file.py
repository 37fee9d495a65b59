from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from mosaic_worker.operators import Choice, Learner, Seat
from mosaic_worker.operators.python_file import load
from mosaic_worker.session.operator import OperatorError
from mosaic_worker.session.outcome import Outcome

if TYPE_CHECKING:
    from pathlib import Path


def written(path: Path, text: str, name: str = "mind.py") -> str:
    file = path / name
    file.write_text(text)
    return str(file)


def view(observation: Any = 3) -> Any:
    return SimpleNamespace(observation=observation)


def test_what_act_returns_is_the_action(tmp_path: Path) -> None:
    found = load(written(tmp_path, "def act(view):\n    return view.observation + 1\n"))
    assert found.act(view(3)) == Choice(4)
    found.begin(Seat("", None, 1))  # it need not care
    assert not isinstance(found, Learner)


def test_a_choice_with_what_is_known_of_it_is_taken_as_it_is(tmp_path: Path) -> None:
    text = (
        "from mosaic_worker.operators import Choice\ndef act(view):\n    return Choice(1, {'text': 'why'})\n"
    )
    assert load(written(tmp_path, text)).act(view()) == Choice(1, {"text": "why"})


def test_begin_and_learn_are_told_where_the_file_has_them(tmp_path: Path) -> None:
    text = """
heard = []
def begin(seat): heard.append(("begin", seat.seed))
def act(view): return len(heard)
def learn(view, choice, outcome): heard.append(("learn", choice.action, outcome))
"""
    found = load(written(tmp_path, text))
    found.begin(Seat("", None, 7))
    choice = found.act(view())
    assert isinstance(found, Learner)
    found.learn(view(), choice, Outcome("came of it"))
    assert choice.action == 1
    assert found.act(view()).action == 2


def test_two_seats_of_one_file_share_nothing(tmp_path: Path) -> None:
    path = written(
        tmp_path, "count = 0\ndef act(view):\n    global count\n    count += 1\n    return count\n"
    )
    first, second = load(path), load(path)
    assert [first.act(view()).action, first.act(view()).action, second.act(view()).action] == [1, 2, 1]


def test_a_module_beside_the_file_is_found(tmp_path: Path) -> None:
    written(tmp_path, "BEST = 5\n", "helper_beside_mind.py")
    text = "from helper_beside_mind import BEST\ndef act(view):\n    return BEST\n"
    assert load(written(tmp_path, text)).act(view()).action == 5


def test_a_file_without_act_says_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match=r"has no function act\(view\)"):
        load(written(tmp_path, "act = 3\n"))
