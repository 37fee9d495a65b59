"""The form of a session: who sits where, what is asked for, why it cannot be played."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic.app.training import Plan
from mosaic.operators import own
from mosaic.protocol.cards import Check, Job
from mosaic.protocol.sessions import UNTIL_LEFT
from mosaic.runners.parameters import convert
from mosaic.ui.play.model.setup import OperatorEntry, Setup, Who

CARDS = [
    OperatorEntry(id=one.card.id, card=one.card)
    for one in (own.RANDOM, own.PERSON, own.PYTHON, own.CHECKPOINT)
] + [OperatorEntry(id="broken", card=None, problem="no module named x")]
BOARD = "pettingzoo.classic.connect_four_v3"


def form(who: Who = "hybrid", **typed: str) -> Setup:
    made = Setup(who, convert=convert)
    made.offer(CARDS)
    for name, text in typed.items():
        made.basics.set(name, text)
    return made


def asked(setup: Setup) -> dict[str, Any]:
    found = setup.ask()
    assert found is not None
    return {"env_id": found[1].env_id, "seats": found[1].seats, **found[1].asked}


def test_a_person_sits_alone_or_against_somebody_and_everywhere_without_a_name() -> None:
    setup = form("human")
    assert setup.sitting == {"*": "person"}
    assert not setup.others
    setup.basics.set("env_id", BOARD)
    assert setup.sitting == {"player_0": "person", "*": "random"}
    setup.basics.set("you", "")
    assert setup.sitting == {"*": "person"}


def test_operators_are_seated_as_people_type_them() -> None:
    setup = form(env_id=BOARD)
    setup.add()
    setup.put(0, operator="python", argument="mind.py")
    setup.put(1, operator="checkpoint")
    setup.put(1, argument="last:best", actor="player_1")
    assert setup.sitting == {"*": "python:mind.py", "player_1": "last:best"}
    setup.basics.set("env_id", "CartPole-v1")
    assert setup.sitting == {"*": "python:mind.py"}, "one agent, one seat"
    setup.remove(0)
    setup.remove(1)
    assert len(setup.seats) == 1


def test_what_is_typed_becomes_what_a_session_is_asked() -> None:
    setup = form(
        "human", seeds="1-3", pace="tick", fps="12", env_arguments="is_slippery=false", max_steps="50"
    )
    assert asked(setup) == {
        "env_id": "FrozenLake-v1",
        "seats": {"*": "person"},
        "seeds": [1, 2, 3],
        "pace": "tick",
        "fps": 12.0,
        "max_steps": 50,
        "parallel": False,
        "parameters": {"env.is_slippery": "false"},
    }
    assert "pace" not in asked(form("human"))


def test_a_person_plays_until_they_stop_and_operators_one_episode() -> None:
    assert asked(form("human"))["seeds"] == list(range(UNTIL_LEFT))
    assert asked(form("hybrid"))["seeds"] == [1]
    assert asked(form("hybrid", seeds=""))["seeds"] == [0]


def test_the_parameters_are_those_of_the_chosen_operators_and_keep_what_was_typed() -> None:
    setup = form()
    assert setup.parameters.names == ()
    setup.put(0, operator="checkpoint", argument="last")
    setup.put(0, argument="last")
    setup.parameters.set("sample", "true")
    assert asked(setup)["parameters"] == {"op.sample": True}
    setup.put(0, operator="random")
    assert "op.sample" not in asked(setup)["parameters"]
    setup.put(0, operator="checkpoint")
    assert setup.parameters.text("sample") == "true"


@pytest.mark.parametrize(
    ("typed", "operator", "said"),
    [
        ({"env_id": " "}, "random", "name an environment"),
        ({"seeds": "x"}, "random", "seeds are written 1-5"),
        ({"fps": "0"}, "random", "Steps a second"),
        ({}, "python", "A Python file of yours: name FILE.py"),
        ({}, "checkpoint", "A trained policy: name RUN"),
        ({}, "broken", "broken cannot be used: no module named x"),
    ],
)
def test_what_cannot_be_played_says_why_and_is_not_checked(
    typed: dict[str, str], operator: str, said: str
) -> None:
    setup = form()
    for name, text in typed.items():
        setup.basics.set(name, text)
    setup.put(0, operator=operator)
    assert said in setup.blocked
    assert setup.ask() is None
    assert not setup.checking


def plan(level: str) -> Plan:
    check = Check(name="environment", level=level, text="there is none")  # type: ignore[arg-type]
    return Plan(job=Job(runner="session"), command=["x"], checks=[check])


def test_a_check_counts_for_what_was_typed_when_it_was_asked_for() -> None:
    setup = form()
    assert setup.blocked == "Checking whether this can work…"
    found = setup.ask()
    assert found is not None
    setup.basics.set("seeds", "7")
    setup.answer(found[0], plan=plan("ok"))
    assert setup.plan is None
    again = setup.ask()
    assert again is not None
    setup.answer(again[0], plan=plan("fail"))
    assert setup.blocked == "environment: there is none"
    setup.answer(again[0], plan=plan("ok"))
    assert setup.blocked == ""
    setup.begin()
    assert setup.blocked == "Starting…"
    setup.end(problem="the daemon is gone")
    assert (setup.blocked, setup.problem) == ("", "the daemon is gone")
    setup.answer(again[0], failed="'x' is neither an operator, nor a run")
    assert setup.blocked == "'x' is neither an operator, nor a run"


def test_what_was_typed_is_there_the_next_time() -> None:
    setup = form(env_id=BOARD, seeds="4")
    setup.put(0, operator="checkpoint")
    setup.put(0, argument="last:best")
    setup.parameters.set("sample", "true")
    setup.add()
    again = Setup("hybrid", convert=convert, kept=setup.kept)
    again.offer(CARDS)
    assert again.sitting == setup.sitting
    assert asked(again) == asked(setup)
    assert again.kept == setup.kept


def test_without_operators_nothing_is_asked() -> None:
    setup = Setup("human", convert=convert)
    assert setup.ask() is None
    assert setup.blocked == "Looking for operators…"
