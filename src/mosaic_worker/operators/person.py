"""A person: decides through the session's socket, not here. What stands in the seat until one has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic_worker.session.operator import Choice, Operator, OperatorError

if TYPE_CHECKING:
    from mosaic_worker.session.view import View

__all__ = ["Person"]


class Person(Operator):
    """Never asked where people can come: the seat's `Relief` waits for them."""

    person = True

    def act(self, view: View) -> Choice:
        """Nobody can come.

        Raises:
            OperatorError: always.
        """
        del view
        raise OperatorError("nobody can take this seat: a person plays in a run, with `mosaic play`")
