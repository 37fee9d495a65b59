"""The byte that a vector environment's owner shares with its members."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from mosaic_worker.roles import EVAL, NEITHER, TRAIN
from mosaic_worker.told import Told, tell, telling


class Whole:
    def __init__(self, venv: Any = None) -> None:
        self.venv = venv


@pytest.mark.parametrize("role", [TRAIN, EVAL, NEITHER, None])
def test_what_was_said_last_is_heard_through_whatever_is_wrapped_around(role: str | None) -> None:
    envs = Whole()
    told = telling(envs)
    assert told is not None
    assert told.role is None
    tell(Whole(Whole(envs)), EVAL)
    tell(Whole(envs), role)
    assert told.role == role


def test_whoever_has_no_members_elsewhere_is_told_nothing() -> None:
    tell(Whole(Whole()), TRAIN)
    tell(None, TRAIN)


def test_only_a_child_that_is_being_started_is_handed_it() -> None:
    told = Told()
    told.say(TRAIN)
    assert copy.deepcopy(told).role == TRAIN
    assert pickle.loads(pickle.dumps(told)) is None
