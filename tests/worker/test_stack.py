"""What is under way is read off the stack."""

from __future__ import annotations

import os
import threading
from typing import Any

from mosaic_worker import stack


def _asks(codes: Any) -> bool:
    return stack.under_way(codes)


def _outer(codes: Any) -> bool:
    return _asks(codes)


def _owning(owner: object, asked: object) -> bool:
    return _asks_for(asked)


def _asks_for(owner: object) -> bool:
    return stack.under_way_for({_owning.__code__}, "owner", owner)


def test_a_function_is_under_way_while_it_is_called_and_no_longer() -> None:
    codes = {_outer.__code__}
    assert _outer(codes)
    assert not _asks(codes)


def test_who_asks_does_not_count_itself() -> None:
    assert not _asks({_asks.__code__})


def test_only_calls_for_the_same_owner_count() -> None:
    one, other = object(), object()
    assert _owning(one, one)
    assert not _owning(one, other)


def test_another_threads_calls_are_not_ours() -> None:
    found: list[bool] = []

    def ask_elsewhere() -> None:
        thread = threading.Thread(target=lambda: found.append(_asks({ask_elsewhere.__code__})))
        thread.start()
        thread.join()

    ask_elsewhere()
    assert found == [False]


def test_what_lies_below_a_fork_is_the_parents() -> None:
    def forks() -> int:
        pid = os.fork()
        if pid == 0:
            os._exit(1 if _asks({test_what_lies_below_a_fork_is_the_parents.__code__}) else 0)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    assert forks() == 0
    assert _asks({test_what_lies_below_a_fork_is_the_parents.__code__})
