from __future__ import annotations

import logging

import pytest

from mosaic.daemon.guard import Guard
from mosaic.errors import DataRootError


def raising(error: Exception) -> None:
    raise error


def test_a_call_that_works_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    done: list[int] = []
    assert Guard().failure("run R", "adopt", lambda: done.append(1)) == ""
    assert done == [1]
    assert caplog.records == []


def test_each_failure_of_each_run_and_call_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    guard = Guard()
    for _ in range(3):
        for owner, name in (("run R", "adopt"), ("run R", "collect"), ("run S", "adopt")):
            assert guard.failure(owner, name, lambda: raising(OSError("boom"))) == "OSError: boom"
    guard.failure("run R", "adopt", lambda: raising(OSError("bang")))
    assert [record.getMessage() for record in caplog.records] == [
        "run R: adopt failed: OSError: boom",
        "run R: collect failed: OSError: boom",
        "run S: adopt failed: OSError: boom",
        "run R: adopt failed: OSError: bang",
    ]


def test_what_nobody_expected_is_logged_with_its_traceback_and_our_own_error_without(
    caplog: pytest.LogCaptureFixture,
) -> None:
    guard = Guard()
    guard.failure("run R", "order", lambda: raising(KeyError("x")))
    assert guard.failure("run R", "order", lambda: raising(DataRootError("no room"))) == "no room"
    assert [bool(record.exc_info) for record in caplog.records] == [True, False]
    assert {record.levelno for record in caplog.records} == {logging.WARNING}


def test_a_forgotten_owner_is_heard_again(caplog: pytest.LogCaptureFixture) -> None:
    guard = Guard()
    for _ in range(2):
        guard.failure("run R", "adopt", lambda: raising(OSError("boom")))
        guard.forget("run R")
    assert len(caplog.records) == 2
