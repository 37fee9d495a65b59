"""A person's client with an account of its own: `plays.py RUN_FOLDER ACTOR timed|turns PLACE`, until it dies.

It takes the seat and acts step by step; once `PLACE/hold` is there it presses a key and keeps it down.
`PLACE/account` gets a line for what is sure: `[seed, first, end, action]` when the steps from `first` to
before `end` were this person's with that action, because the session said, still to the seat's owner, that a
later one is due; and `["holds"]` when the session has told that the key is down.
"""

import json
import os
import select
import sys
from pathlib import Path
from typing import Any, NamedTuple

from mosaic.app.hands import Hands
from mosaic.paths import RunFolder
from mosaic.protocol.hands import Answer, Now, SeatNow


class Deed(NamedTuple):
    """What is done at a step that is due, unless this person dies before the step is made."""

    seed: int
    step: int
    action: int
    held: bool = False


class Player:
    """Plays, and keeps account."""

    def __init__(self, folder: RunFolder, actor: str, place: Path, *, timed: bool) -> None:
        self.hands = Hands(folder, name="player")
        self._actor, self._place, self._timed = actor, place, timed
        self._account = os.open(place / "account", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._asked: dict[int, Deed] = {}
        self._deed: Deed | None = None
        self._last = (-1, -1)
        self._holding = self._told = False
        self.hands.order("take", actor=actor)

    def hear(self) -> None:
        """Read what has been said, and do what is due."""
        select.select([self.hands], [], [])
        for said in self.hands.read():
            if isinstance(said, Answer) and said.id in self._asked and not said.refused:
                self._deed = self._asked.pop(said.id)
            elif isinstance(said, Now):
                seat = next(each for each in said.seats if each.actor == self._actor)
                if seat.mine:
                    self._settle(said.seed, seat)
                    self._go_on(said.seed, seat)

    def _settle(self, seed: int, seat: SeatNow) -> None:
        deed = self._deed
        if deed is not None and (seed, seat.step) > deed[:2]:
            lasted = deed.held and seed == deed.seed
            self._note([deed.seed, deed.step, seat.step if lasted else deed.step + 1, deed.action])
            self._deed = None

    def _go_on(self, seed: int, seat: SeatNow) -> None:
        if seat.held is not None and not self._told:
            self._told = True
            self._note(["holds"])
        due = not seat.over and (self._timed or seat.waits)
        if self._holding:
            if due and self._timed and seat.held is not None and self._deed is None:
                self._deed = Deed(seed, seat.step, seat.held, held=True)
            return
        if not due or (seed, seat.step) == self._last:
            return
        self._last = seed, seat.step
        action = (seed + seat.step // 3) % 3 if seat.legal is None else seat.legal[-1]
        if (self._place / "hold").exists():
            self._holding = True
            self.hands.order("hold", actor=self._actor, action=action)
        else:
            number = self.hands.order("act", actor=self._actor, step=seat.step, action=action)
            self._asked[number] = Deed(seed, seat.step, action)

    def _note(self, line: list[Any]) -> None:
        os.write(self._account, json.dumps(line).encode() + b"\n")


if __name__ == "__main__":
    run, who, pace, where = sys.argv[1:]
    player = Player(RunFolder(Path(run)), who, Path(where), timed=pace == "timed")
    while not player.hands.ended:
        player.hear()
