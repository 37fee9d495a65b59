"""Several sessions as one: what is asked of all of them, and what is said of each. Qt-free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.text import count, number
from mosaic.ui.play.model.playing import SPEEDS, Playing
from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mosaic.app.results import SeatResult

__all__ = ["MOST_SESSIONS", "Several", "result_said", "seats_said"]

MOST_SESSIONS = 9
"""More are not shown: frames smaller than that say nothing."""


class Several:
    """The sessions that are shown side by side, by run, in the order they were chosen."""

    def __init__(self) -> None:
        self.changed: Signal[[]] = Signal()
        """Other sessions are shown."""
        self.stood: Signal[[]] = Signal()
        """One of them stands otherwise."""
        self.playing: dict[str, Playing] = {}

    def turn_to(self, run_ids: Iterable[str]) -> None:
        """Show these."""
        wanted = list(run_ids)[:MOST_SESSIONS]
        if wanted == list(self.playing):
            return
        before = self.playing
        self.playing = {run_id: before.get(run_id) or self._new() for run_id in wanted}
        self.changed.emit()

    def _new(self) -> Playing:
        made = Playing(sits=False)
        made.changed.connect(self.stood.emit)
        return made

    # -- of all of them ----------------------------------------------------------------------------

    @property
    def connected(self) -> list[Playing]:
        """Those that can be asked."""
        return [one for one in self.playing.values() if one.connected]

    @property
    def paused(self) -> bool:
        """Whether all that can be asked stand still."""
        stands = [one.now for one in self.connected if one.now is not None]
        return bool(stands) and all(now.paused for now in stands)

    def pause_or_go(self) -> None:
        """All stand still, or all go on: after this they do the same, whatever each did before."""
        paused = self.paused
        for one in self.connected:
            if one.now is not None and one.now.paused is paused:
                one.pause_or_go()

    def step(self) -> None:
        """One step of each."""
        self._each(Playing.step)

    def reset(self, seed: int | None = None) -> None:
        """Each begins a new episode, all with this seed if there is one."""
        self._each(lambda one: one.reset(seed))

    def set_speed(self, fps: float | None) -> None:
        """One speed for all; None: as fast as each goes."""
        self._each(lambda one: one.set_pace("free") if fps is None else one.set_pace("tick", fps))

    def faster(self) -> None:
        """From the slowest of them, one speed up, for all."""
        speeds = self._speeds()
        above = [speed for speed in SPEEDS if speeds and speed > min(speeds)]
        if speeds:
            self.set_speed(above[0] if above else None)

    def slower(self) -> None:
        """From the slowest of them, one speed down, for all."""
        speeds = self._speeds()
        below = [speed for speed in SPEEDS if speeds and speed < min(speeds)]
        if below:
            self.set_speed(below[-1])

    def _speeds(self) -> list[float]:
        stands = [one.now for one in self.connected if one.now is not None]
        return [now.fps if now.pace == "tick" and now.fps else float("inf") for now in stands]

    def _each(self, call: Callable[[Playing], None]) -> None:
        for one in self.connected:
            call(one)

    # -- in words ----------------------------------------------------------------------------------

    @property
    def troubles(self) -> str:
        """What was refused, of any of them; each reason once."""
        return " ".join(dict.fromkeys(one.trouble for one in self.connected if one.trouble))


def seats_said(playing: Playing) -> str:
    """Who plays, how far, with what return; a line per seat, four at most."""
    now = playing.now
    if now is None:
        return "Connecting…" if playing.connected else "Waiting for the session…"
    lines = [f"{seat.by}: step {seat.step}, return {seat.returned}" for seat in playing.seats[:4]]
    more = len(playing.seats) - 4
    head = f"Episode {count(now.episode + 1)} of {count(now.episodes)}, seed {now.seed}"
    state = "paused" if now.paused else playing.pace_said
    return "\n".join([f"{head}, {state}", *lines, *([f"and {more} more seats"] if more > 0 else [])])


def result_said(results: Iterable[SeatResult]) -> str:
    """What a session came to so far, in a line: the IQM of each seat's returns."""
    told = [
        f"{one.seat} {number(one.iqm.value)} over {count(len(one.returns))}"
        for one in results
        if one.iqm is not None
    ]
    return f"IQM: {', '.join(told)}" if told else "No episode was played to its end yet."
