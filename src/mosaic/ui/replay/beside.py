"""The open episode beside its original or its branch: a second projector on the same transport.

Draws nothing: views hear its signals. Off until somebody asks; off again when the open episode changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.text import visible
from mosaic.ui.replay.beside_model import counterparts
from mosaic.ui.replay.beside_reading import read_pair
from mosaic.ui.replay.projector import Audience, Projector
from mosaic.ui.shell.model.signal import Signal
from mosaic.ui.shell.model.views import FRAME, SCENE

if TYPE_CHECKING:
    from mosaic.replay.cache import Frame
    from mosaic.ui.replay.beside_model import Counterpart, Pair
    from mosaic.ui.replay.projector import Opened, SceneAt
    from mosaic.ui.replay.replaying import Replaying
    from mosaic.ui.shell.context import Context
    from mosaic.ui.shell.ops import Operation

__all__ = ["Beside"]


class Beside:
    """What is shown beside the open episode.

    Args:
        context: whose runs it looks for originals and branches among.
        replaying: what is open.
    """

    def __init__(self, context: Context, replaying: Replaying) -> None:
        self.changed: Signal[[]] = Signal()
        """It was turned on or off, or can be now: `on`, `pair`, `found`, `why`."""
        self.painted: Signal[[]] = Signal()
        """Another frame of the other episode is there: `shown`."""
        self.found: list[Counterpart] = []
        """Whom the open episode can be shown beside."""
        self.other: Counterpart | None = None
        self.pair: Pair | None = None
        self.shown: Frame | SceneAt | None = None
        self.why = ""
        """Why the other episode cannot be seen, if it cannot."""
        self.retired: list[Projector] = []
        """Closed ones whose threads have not ended yet."""
        self._context, self._replaying = context, replaying
        self._projector: Projector | None = None
        self._ready = False
        self._sought: tuple[int, str] | None = None
        self._reading: Operation | None = None
        self._heard = [
            context.runs.changed.connect(lambda _: self._look()),
            replaying.ready.connect(self._look),
            replaying.closed.connect(self._closed),
            replaying.transport.changed.connect(self._seek),
            replaying.view_changed.connect(self._seek),
        ]
        replaying.waits = self.waits

    @property
    def on(self) -> bool:
        """Whether two episodes are shown."""
        return self.pair is not None

    def toggle(self) -> None:
        """Show the first counterpart there is, or the open episode alone again."""
        if self.on or self._reading is not None:
            self.off()
        elif self.found:
            self.choose(self.found[0])

    def choose(self, other: Counterpart) -> None:
        """Show this one beside the open episode."""
        replaying, context = self._replaying, self._context
        run_id, opened = replaying.run_id, replaying.opened
        if run_id is None or opened is None:
            return
        self.off()
        self.other = other
        row, episode = context.runs.get(run_id), opened.row.index
        name = "" if row is None else row.name
        self._reading = context.ops.run(
            lambda: read_pair(context.root, run_id, episode, other, name=name),
            done=self._begin,
            failed=self._refuse,
        )
        self.changed.emit()

    def jump(self) -> None:
        """Go to the first frame that differs."""
        if self.pair is not None and self.pair.parts_at is not None:
            self._replaying.transport.pause()
            self._replaying.transport.seek(self.pair.parts_at)

    def off(self) -> None:
        """The open episode alone."""
        was = self.on or self._reading is not None
        if self._reading is not None:
            self._reading.abandon()
            self._reading = None
        if self._projector is not None:
            self._projector.close()
            self.retired = [*(one for one in self.retired if not one.join(0)), self._projector]
            self._projector = None
        self.pair = self.shown = self.other = self._sought = None
        self._ready, self.why = False, ""
        if was:
            opened = self._replaying.opened
            if opened is not None:
                self._replaying.transport.set_last(opened.last)
            self.changed.emit()

    def waits(self) -> bool:
        """Whether the other's frame of this moment is still to come; the transport waits for it."""
        return (
            self._ready
            and not self.why
            and self._sought is not None
            and (self.shown is None or self.shown.step != self._sought[0])
        )

    def shut(self) -> None:
        """Let everything go, for good."""
        for unhear in self._heard:
            unhear()
        self.off()

    # -- inside ---------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Who there is to show, as far as the list of runs says."""
        opened = self._replaying.opened
        found = counterparts(
            self._context.runs.rows, self._replaying.run_id, None if opened is None else opened.row.index
        )
        if found != self.found:
            self.found = found
            self.changed.emit()

    def _closed(self) -> None:
        self.off()
        self._look()

    def _refuse(self, why: str) -> None:
        self._reading = self.other = None
        self._context.toasts.say(f"Not side by side: {why}.", level="bad", secs=10.0)
        self.changed.emit()

    def _begin(self, pair: Pair) -> None:
        self._reading = None
        opened, other = self._replaying.opened, self.other
        if opened is None or other is None:
            return
        self.pair = pair
        track = pair.original if other.original else pair.branch
        self._projector = Projector(
            self._context.root.run(track.run_id),
            track.episode,
            allowed=self._replaying.allowed,
            post=self._context.bridge.post,
            audience=Audience(
                progress=lambda _done, _of: None,
                opened=self._opened,
                shown=self._shown,
                failed=lambda why, _module: self._blind(why),
                problem=self._blind,
            ),
        )
        self._replaying.transport.set_last(pair.last)
        self.changed.emit()

    def _opened(self, opened: Opened) -> None:
        del opened  # what is known of it is in the pair already
        self._ready = True
        self._seek()

    def _shown(self, shown: Frame | SceneAt) -> None:
        self.shown = shown
        self.painted.emit()

    def _blind(self, why: str) -> None:
        self.why = visible(why)
        self.changed.emit()

    def _seek(self) -> None:
        if self.pair is None or self._projector is None or not self._ready or self.other is None:
            return
        transport = self._replaying.transport
        track = self.pair.original if self.other.original else self.pair.branch
        wanted = track.frame(transport.position), FRAME if self._replaying.view == FRAME else SCENE
        if wanted != self._sought:
            self._sought = wanted
            ahead = transport.direction if transport.playing else 0
            self._projector.seek(wanted[0], ahead=ahead, view=wanted[1])
