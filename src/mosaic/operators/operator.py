"""What an operator must offer. An entry point of the group `mosaic.operators` names an object of this shape.

Importing its module must import no framework: it is read by the command line and the desktop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mosaic.protocol.sessions import OperatorCard, Seat

__all__ = ["OperatorKind"]


@runtime_checkable
class OperatorKind(Protocol):
    """A card, and how to seat a filled-in one."""

    @property
    def card(self) -> OperatorCard:
        """What it is."""

    def seat(self, argument: str, *, name: str, parameters: Mapping[str, Any]) -> Seat:
        """What the session's worker is told.

        Args:
            argument: what people typed after the colon; empty when they typed none.
            name: all that they typed.
            parameters: of the card's own, with their types.

        Raises:
            UsageError: it cannot be seated like this; says why and the way out.
        """
