"""Ctrl-C at every place: the same call again and again, interrupted one operation later each time.

A signal's handler runs between two operations of the interpreter. Here a trace function raises in its stead,
at the n-th place of our own code, so that no place is left to luck. Imported by scripts under test.
"""

from __future__ import annotations

import dis
import gc
import os
import sys
from collections.abc import Callable
from typing import Any

OURS = f"{os.sep}mosaic_worker{os.sep}"
PURE = ("describe.py", "pettingzoo_origin.py", "redact.py", "roles.py", "values.py")
"""Long, and they change nothing that could be left half changed."""
LOOKING = {op for name, op in dis.opmap.items() if name in ("RESUME", "JUMP_BACKWARD") or "CALL" in name}
"""After these the interpreter looks for signals; before Python 3.11 it does so nearly everywhere."""


class _Interrupt:
    """Raises KeyboardInterrupt at the `at`-th place of our code. Raising ends the tracing."""

    def __init__(self, at: int, *, every: bool) -> None:
        self.left = at
        self._every = every or sys.version_info < (3, 11)

    def __call__(self, frame: Any, event: str, arg: Any) -> Any:
        name = frame.f_code.co_filename
        if OURS not in name or name.endswith(PURE):
            return None
        frame.f_trace_opcodes = True
        before = -1
        code = frame.f_code.co_code

        def within(frame: Any, event: str, arg: Any) -> Any:
            nonlocal before
            if event == "opcode":
                if self._every or before in LOOKING:
                    self.left -= 1
                    if self.left == 0:
                        raise KeyboardInterrupt
                before = code[frame.f_lasti]
            return within

        return within


def everywhere(
    prepare: Callable[[], Callable[[], object]], check: Callable[[], object], *, every: bool = False
) -> int:
    """Interrupt what `prepare` returns at every place, `check` after each time. Returns how many there were.

    A place is where the interpreter looks for signals, or before `every` operation.
    """
    before = sys.gettrace()
    at = 0
    while True:
        at += 1
        act, interrupt = prepare(), _Interrupt(at, every=every)
        gc.disable()  # what a collected object does when it goes would be interrupted too, and nobody told
        sys.settrace(interrupt)
        try:
            act()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
            gc.enable()
        check()
        if interrupt.left > 0:
            return at - 1
