"""`mosaic deploy RUN WHO`: another operator into a seat of a running session."""

from __future__ import annotations

import select
import time
from typing import TYPE_CHECKING

import click

from mosaic.cli import options
from mosaic.cli.output import note
from mosaic.cli.play import parameters_of
from mosaic.cli.progress import Passing
from mosaic.errors import UsageError

if TYPE_CHECKING:
    from mosaic.app.hands import Hands
    from mosaic.protocol.hands import SeatNow

__all__ = ["deploy_command"]

_SECS = 600.0  # a session gives an operator half of that to get ready


@click.command("deploy")
@options.run_argument
@click.argument("who")
@click.argument("arguments", nargs=-1, metavar="[op.KEY=VALUE]...")
@click.option("--seat", "actor", metavar="AGENT", help="Whose seat, where there are several.")
def deploy_command(*, run: str, who: str, arguments: tuple[str, ...], actor: str | None) -> int:
    """Put another operator into a seat of a running session.

    It is made ready beside the one that plays, which goes on until then. If it cannot play, the one before
    stays, and the reason is printed. WHO is written as for `mosaic play`.

    \b
    Example:
      mosaic deploy last ppo:best
      mosaic deploy last python:mind.py --seat player_1
    """
    from mosaic.app.hands import Hands
    from mosaic.app.playing import seat_for

    root, row = options.find(run)
    with Hands(root.run(row.run_id), name="mosaic deploy") as hands, Passing() as passing:
        passing(f"{who} is being made ready …")
        env_id = row.env_ids[0] if row.env_ids else ""
        seat = seat_for(root, who, parameters_of(arguments), env_id=env_id)
        now = _until_put(hands, actor, hands.order("deploy", actor=actor, seat=seat))
    note(f"mosaic: {now.operator} decides{f' for {now.actor}' if now.actor else ''} in run {row.run_id} now")
    return 0


def _until_put(hands: Hands, actor: str | None, number: int) -> SeatNow:
    """The seat, once its new operator sits there.

    Raises:
        UsageError: the session refused, the operator cannot play, or the session has ended.
    """
    from mosaic.protocol.hands import Answer, Now

    until, taken = time.monotonic() + _SECS, False
    while time.monotonic() < until and not hands.ended:
        select.select([hands], [], [], 1.0)
        for said in hands.read():
            if isinstance(said, Answer) and said.id == number:
                if said.refused:
                    raise UsageError(f"the session refused: {said.refused}")
                taken = True
            elif isinstance(said, Now) and taken:
                seat = next(seat for seat in said.seats if actor in (None, seat.actor))
                if seat.trouble:
                    raise UsageError(seat.trouble)
                if not seat.loading:
                    return seat
    raise UsageError("the session ended before the operator was ready; it was not put into the seat")
