"""A file of the user's own with `act(view)`. Runs in the session's interpreter; nothing keeps it in check."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import TYPE_CHECKING, Any, Callable, Optional

from mosaic_worker.session.operator import Choice, Learner, Operator, OperatorError, Seat

if TYPE_CHECKING:
    from mosaic_worker.session.outcome import Outcome
    from mosaic_worker.session.view import View

__all__ = ["PythonFile", "load"]


class PythonFile(Operator):
    """Asks `act(view)` of a module. What it returns is the action, or a `Choice` with what is known of it."""

    def __init__(self, module: Any) -> None:
        self._act: Callable[[View], Any] = module.act
        self._begin: Optional[Callable[[Seat], None]] = getattr(module, "begin", None)

    def begin(self, seat: Seat) -> None:
        """Tell the file, if it wants to know."""
        if self._begin is not None:
            self._begin(seat)

    def act(self, view: View) -> Choice:
        """Ask the file."""
        found = self._act(view)
        return found if isinstance(found, Choice) else Choice(found)


class _LearningFile(PythonFile, Learner):
    def __init__(self, module: Any) -> None:
        super().__init__(module)
        self._learn: Callable[[View, Choice, Outcome], None] = module.learn

    def learn(self, view: View, choice: Choice, outcome: Outcome) -> None:
        """Tell the file what came of its choice."""
        self._learn(view, choice, outcome)


def load(path: str) -> PythonFile:
    """The operator in a file. Each call loads the file anew: two seats of one file share nothing.

    Raises:
        OperatorError: the file has no function `act`.
        Exception: whatever the file raises while it is imported.
    """
    name = "mosaic_operator_" + os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise OperatorError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    folder = os.path.dirname(os.path.abspath(path))
    if folder not in sys.path:
        sys.path.append(folder)  # modules beside the file are found, behind everybody else's
    spec.loader.exec_module(module)
    if not callable(getattr(module, "act", None)):
        raise OperatorError(f"{path} has no function act(view): an operator is a file with one")
    return _LearningFile(module) if callable(getattr(module, "learn", None)) else PythonFile(module)
