"""Operators in processes of their own, with real bad processes among them."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import pytest

from mosaic_worker.operators import Seat
from mosaic_worker.operators.remote import Lines
from mosaic_worker.session.operator import OperatorError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

GOOD = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["ask"] == "open":
        told = m; print(json.dumps({"ready": True}), flush=True)
    elif m["ask"] == "begin":
        seed = m["seed"]
    else:
        data = {"seed": seed, "saw": m["observation"], "mask": m["mask"], "step": m["step"]}
        data["kind"] = told["action_space"]
        print(json.dumps({"id": m["id"], "action": 2.0, "data": data}), flush=True)
"""
READY = 'import sys, json, time\nsys.stdin.readline(); print(json.dumps({"ready": True}), flush=True)\n'
ASKED = READY + "sys.stdin.readline(); m = json.loads(sys.stdin.readline())\n"


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Lines]]:
    """Makes operators from the text of a program, and closes them, without patience."""
    monkeypatch.setattr("mosaic_worker.operators.remote._LEAVE_SECS", 0.2)
    made: list[Lines] = []

    def make(text: str, **how: Any) -> Lines:
        file = tmp_path / f"mind{len(made)}.py"
        file.write_text(text)
        one = Lines(
            [sys.executable, str(file)], name="mind", about={"action_space": {"kind": "Discrete"}}, **how
        )
        made.append(one)
        return one

    yield make
    for one in made:
        one.close()


def view(observation: Any = 1) -> Any:
    return SimpleNamespace(actor="", observation=observation, mask=None, step=4, returned=0.5)


def opened(one: Lines) -> None:
    one.start()
    one.wait_ready()


def begun(one: Lines) -> Lines:
    opened(one)
    one.begin(Seat("", gym.spaces.Discrete(4), 9))
    return one


def test_it_is_opened_begun_and_asked_and_its_answer_fits_the_space(child: Callable[..., Lines]) -> None:
    choice = begun(child(GOOD)).act(view(np.array([1.5, 2.0], np.float32)))
    assert choice.action == 2
    assert type(choice.action) is int
    assert choice.data is not None
    assert choice.data.pop("ms") > 0
    expected = {"seed": 9, "saw": [1.5, 2.0], "mask": None, "step": 4, "kind": {"kind": "Discrete"}}
    assert choice.data == expected


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys\nsys.exit(3)\n", "ended with code 3"),
        ("import os\nos.kill(os.getpid(), 9)\n", "ended by SIGKILL"),
        ("print('hello')\nimport time\ntime.sleep(60)\n", "a line that is not JSON.*goes to stderr"),
        ("print('[1]', flush=True)\nimport time\ntime.sleep(60)\n", "not a JSON object"),
        ("print('{}', flush=True)\nimport time\ntime.sleep(60)\n", "its first answer was not"),
        ('print(\'{"error": "no such mind"}\', flush=True)\nimport time\ntime.sleep(60)\n', "no such mind"),
    ],
)
def test_who_does_not_get_ready_is_named_with_the_reason(
    child: Callable[..., Lines], program: str, said: str
) -> None:
    one = child(program)
    with pytest.raises(OperatorError, match=said):
        opened(one)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (ASKED + "sys.exit(1)\n", "ended with code 1"),
        (ASKED + "time.sleep(60)\n", "took longer than 0.3 s to decide"),
        (ASKED + "print('{\"id\": 1}', flush=True)\ntime.sleep(60)\n", "has no action"),
        (ASKED + "print('{', flush=True)\ntime.sleep(60)\n", "not JSON"),
    ],
)
def test_who_fails_to_decide_is_named_with_the_reason(
    child: Callable[..., Lines], program: str, said: str
) -> None:
    one = begun(child(program, deadline_secs=0.3 if "0.3" in said else 30.0))
    with pytest.raises(OperatorError, match=said):
        one.act(view())


def test_a_late_answer_is_not_taken_for_the_next_one(child: Callable[..., Lines]) -> None:
    late = ASKED + (
        "n = json.loads(sys.stdin.readline())\n"
        "for one, action in ((m, 1), (n, 2)):\n"
        "    print(json.dumps({'id': one['id'], 'action': action}), flush=True)\n"
        "time.sleep(60)\n"
    )
    one = begun(child(late, deadline_secs=0.3))
    with pytest.raises(OperatorError, match="took longer"):
        one.act(view())
    one._deadline_secs = 30.0
    assert one.act(view()).action == 2


def test_a_program_that_is_not_there_is_said(child: Callable[..., Lines]) -> None:
    del child
    with pytest.raises(OperatorError, match=r"/no/such cannot be started: No such file"):
        Lines(["/no/such"], name="x", about={}).start()


def test_one_that_stays_after_its_input_ended_is_ended(
    child: Callable[..., Lines],
) -> None:
    one = begun(child(READY + "time.sleep(600)\n"))
    process = one._process
    assert process is not None
    one.close()
    assert process.returncode == -9
    one.close()  # once more does nothing


def test_one_that_has_gone_before_it_is_asked_is_said_to_have_ended(child: Callable[..., Lines]) -> None:
    one = begun(child(READY + "sys.stdin.readline()\nsys.exit(4)\n"))
    assert one._process is not None
    one._process.wait()
    with pytest.raises(OperatorError, match="ended with code 4"):
        one.begin(Seat("", gym.spaces.Discrete(4), 9))
