"""A person in a session, on a terminal: the scene, or the frame as half blocks, and what the keys mean.

What keys ask for is decided by the same model as in the desktop. A terminal does not tell when a key is let
go: under a tick one that was pressed counts as held for a moment, and repeats keep it down.
"""

from __future__ import annotations

import select
import shutil
import sys
import time
from typing import IO, TYPE_CHECKING

from mosaic.app import key_files, reading
from mosaic.app.hands import Hands
from mosaic.app.keys import combination
from mosaic.cli.keyboard import Keyboard
from mosaic.errors import UsageError
from mosaic.fastlane.lane import Lease
from mosaic.fastlane.reader import Frame, LiveScene
from mosaic.fastlane.tiles import tile
from mosaic.fastlane.viewer import Viewer
from mosaic.render.blocks import half_blocks
from mosaic.render.text import coloured
from mosaic.text import fit
from mosaic.ui.play.model.playing import Playing
from mosaic_worker.common.hands import PERSON

if TYPE_CHECKING:
    from mosaic.paths import DataRoot

__all__ = ["ByHand", "is_terminal"]

_HELD_SECS = 0.35  # longer than a keyboard's pause between repeats
_LOOK_SECS = 1 / 60
_CONNECT_SECS = 300.0  # operators may take that long to load
_SCREEN, _BACK = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
_HOME, _TO_END, _BELOW = "\x1b[H", "\x1b[K", "\x1b[J"
_MENU = "T take over · Space pause · . step · + - speed · R reset · V view · Q end the session"


def is_terminal() -> bool:
    """Whether somebody can play here."""
    return sys.stdin.isatty() and sys.stdout.isatty()


class ByHand:
    """One stay with a session.

    Args:
        root: the data root.
        run_id: the session's run.
        actor: the seat to take at once; None for those that are a person's.
        takes: whether a seat is taken at once, whosever it is.
    """

    def __init__(
        self,
        root: DataRoot,
        run_id: str,
        *,
        actor: str | None = None,
        takes: bool = False,
        out: IO[str] | None = None,
    ) -> None:
        self._root, self._run_id = root, run_id
        self._actor, self._takes = actor, takes
        self._out = sys.stdout if out is None else out
        self._playing = Playing()
        self._down: dict[str, float] = {}
        self._newest: dict[tuple[str, int], Frame | LiveScene] = {}
        self._dirty = True
        self._chosen = False  # whether frames or scenes are shown was chosen, by a key
        self._viewer = self._watching(scenes=False)
        self._playing.changed.connect(self._changed)

    def stay(self) -> None:
        """Play until the session has ended, or Ctrl-C.

        Raises:
            UsageError: the session does not listen.
        """
        hands = self._connected()
        if hands is None:
            return
        with hands, Keyboard() as keyboard:
            self._playing.opened(hands.order)
            self._out.write(_SCREEN)
            try:
                while not hands.ended:
                    self._round(hands, keyboard)
            except KeyboardInterrupt:
                hands.order("quit")
            finally:
                self._viewer.close()
                self._out.write(_BACK)
                self._out.flush()

    def _connected(self) -> Hands | None:
        """A line to the session; None when it ended before it listened."""
        until = time.monotonic() + _CONNECT_SECS
        while True:
            try:
                return Hands(self._root.run(self._run_id), name="terminal")
            except UsageError:
                if reading.has_ended(self._root, self._run_id):
                    return None
                if time.monotonic() > until:
                    raise
            time.sleep(0.05)

    def _changed(self) -> None:
        self._dirty = True

    # ---- one round ----

    def _round(self, hands: Hands, keyboard: Keyboard) -> None:
        ready, _, _ = select.select([hands.fileno(), keyboard.fileno()], [], [], _LOOK_SECS)
        now = time.monotonic()
        if hands.fileno() in ready:
            before = self._playing.now
            for said in hands.read():
                self._playing.heard(said)
            if before is None and self._playing.now is not None:
                self._use_own_keys()
            if self._takes and self._playing.now is not None:
                self._takes = False
                self._playing.take(self._actor)
        if keyboard.fileno() in ready:
            for key in keyboard.read():
                self._pressed(key, now)
        for key in [key for key, until in self._down.items() if until <= now]:
            del self._down[key]
            self._playing.release(key)
        self._look()
        if self._dirty:
            self._draw()

    def _watching(self, *, scenes: bool) -> Viewer:
        size = shutil.get_terminal_size()
        lease = Lease(fps=30.0, width=size.columns, height=2 * size.lines, scenes=scenes)
        return Viewer(self._root.run(self._run_id), lease=lease, most=16)

    def _look(self) -> None:
        """Take what is new. Where there are scenes they are shown: made of characters, they are sharper."""
        self._viewer.tick()
        came: dict[tuple[str, int], Frame | LiveScene] = {**self._viewer.frames(), **self._viewer.scenes()}
        if came:
            self._newest.update(came)
            self._dirty = True
        if not self._chosen and not self._viewer.lease.scenes and self._viewer.has_scenes():
            self._switch()

    def _switch(self) -> None:
        """Frames instead of scenes, or the other way round."""
        if not self._viewer.has_scenes():
            return
        before, self._chosen = self._viewer, True
        self._viewer = self._watching(scenes=not before.lease.scenes)
        before.close()
        self._newest.clear()

    def _use_own_keys(self) -> None:
        offer = self._playing.offer
        own = None if offer is None else key_files.load(self._root, offer.env_id)
        if own is not None:
            self._playing.set_keys(own)

    def _pressed(self, key: str, now: float) -> None:
        playing = self._playing
        if playing.captured and key != "Esc":
            if key not in self._down:
                playing.press(key)
            self._down[key] = now + _HELD_SECS
            if playing.now is not None and playing.now.pace != "tick":
                del self._down[key]  # turn by turn each press is one action
                playing.release(key)
            return
        call = {
            "Esc": playing.leave, "T": playing.toggle_taken, "Space": playing.pause_or_go, ".": playing.step,
            "+": playing.faster, "=": playing.faster, "-": playing.slower, "R": playing.reset,
            "Q": playing.quit, "V": self._switch,
        }.get(key)  # fmt: skip
        if call is not None:
            call()

    # ---- what is seen ----

    def _draw(self) -> None:
        self._dirty = False
        size = shutil.get_terminal_size()
        below = self._lines()
        room = max(1, size.lines - len(below) - 1)
        lines = self._surface(columns=size.columns, lines=room)
        told = [fit(line, size.columns - 1) for line in below]
        body = [*lines, *[""] * (room - len(lines) if lines else 0), *told]
        self._out.write(_HOME + f"{_TO_END}\n".join(body[: size.lines - 1]) + _TO_END + _BELOW)
        self._out.flush()

    def _surface(self, *, columns: int, lines: int) -> list[str]:
        scenes = [one.scene for one in self._newest.values() if isinstance(one, LiveScene)]
        frames = [one.pixels for one in self._newest.values() if isinstance(one, Frame)]
        if scenes:
            return [line for scene in scenes for line in [*coloured(scene).split("\n"), ""]][:lines]
        return half_blocks(tile(frames), columns=columns, lines=lines) if frames else []

    def _lines(self) -> list[str]:
        playing = self._playing
        told = [playing.headline]
        for seat in playing.seats:
            who = f"{seat.actor}: " if seat.actor else ""
            relieved = f" (for {seat.operator})" if seat.operator not in (seat.by, PERSON) else ""
            parts = [f"{who}{seat.by}{relieved}", f"step {seat.step}", f"return {seat.returned}", seat.state]
            told.append(" · ".join(part for part in parts if part))
        bindings = playing.keys.bindings
        if bindings:
            told.append("  ".join(f"{combination(one)}: {one.name or one.action}" for one in bindings))
        elif playing.captured:
            told.append("No keys are known for these actions: play in the desktop, or write a key map.")
        told.append(playing.badge if playing.captured else _MENU)
        if playing.trouble:
            told.append(playing.trouble)
        return told
