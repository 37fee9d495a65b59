"""Which episode of which run is replayed, and what has come of it. Draws nothing: views hear its signals.

A request names a run and an episode and is carried out at once: the run comes into focus, the episode opens.
The player itself lives on a thread of its own, see `projector`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer

from mosaic.app.branching import branch
from mosaic.text import count
from mosaic.ui.replay.books import read_book
from mosaic.ui.replay.model import Book
from mosaic.ui.replay.projector import Audience, Projector
from mosaic.ui.shell.following import Following
from mosaic.ui.shell.model.signal import Signal
from mosaic.ui.shell.model.views import FRAME, SCENE
from mosaic_worker.common.hands import PERSON

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mosaic.replay.cache import Frame
    from mosaic.ui.replay.model import Transport
    from mosaic.ui.replay.projector import Opened, SceneAt
    from mosaic.ui.shell.context import Context
    from mosaic.ui.shell.ops import Operation

__all__ = ["Replaying"]

_BOOK_MILLIS = 500
_TICK_MILLIS = 8


class Replaying:
    """The replay of the run in focus. While nobody looks it stands still and keeps its step.

    Args:
        context: whose run in focus is replayed.
        transport: where the episode stands and how it moves.
    """

    def __init__(self, context: Context, transport: Transport) -> None:
        self.listed: Signal[[]] = Signal()
        """There are other finished episodes than before."""
        self.closed: Signal[[]] = Signal()
        """No episode is open any more."""
        self.opening: Signal[[int, int]] = Signal()
        """An episode is being opened: how far it is, and of how much (0: not known)."""
        self.ready: Signal[[]] = Signal()
        """The episode is open: `opened` says what it is."""
        self.painted: Signal[[]] = Signal()
        """Another frame is there: `shown`."""
        self.refused: Signal[[str, str]] = Signal()
        """The episode cannot be opened: why, and the module that would have to be allowed first, if one."""
        self.broken: Signal[[str]] = Signal()
        """A frame could not be made, and why."""
        self.view_changed: Signal[[]] = Signal()
        """Another view was chosen: `view`."""
        self.follow_changed: Signal[[]] = Signal()
        """Each newest finished episode is shown as it comes, or no more: `follow`."""
        self.waits: Callable[[], bool] = lambda: False
        """Whether a frame beside the open episode's is still to come: playing waits for it."""
        self._context, self.transport = context, transport
        self.run_id: str | None = None
        self.book = Book()
        self.opened: Opened | None = None
        self.shown: Frame | SceneAt | None = None
        self.follow = False
        self.blind = False
        """No frame can be had of the open episode; its steps can be read all the same."""
        self.projector: Projector | None = None
        self.retired: list[Projector] = []
        """Closed ones whose threads have not ended yet."""
        self._allowed: dict[str, set[str]] = {}
        self._play_next = False
        self._sought: tuple[int, str] | None = None
        self._finding: Operation | None = None
        self._shut = False
        self._tick_at = 0.0
        self._ticker = QTimer(interval=_TICK_MILLIS, timerType=Qt.TimerType.PreciseTimer)
        self._ticker.timeout.connect(self._tick)
        self._following: Following[tuple[str, Book]] = Following(
            context,
            wanted=lambda: () if self.run_id is None else (self.run_id,),
            work=self._work,
            take=self._take_book,
            failed=lambda why: context.toasts.say(why, level="bad"),
            gap_ms=_BOOK_MILLIS,
        )
        transport.changed.connect(self._moved)
        self._heard = [
            context.views.changed.connect(self._view_changed),
            context.selection.changed.connect(self._take_focus),
            context.asks.replay.connect(self.open),
        ]

    @property
    def episode(self) -> int | None:
        """The episode that is open or being opened."""
        return None if self.projector is None else self.projector.episode

    @property
    def playing_on(self) -> bool:
        """Whether time passes for it."""
        return self._ticker.isActive()

    @property
    def reading(self) -> bool:
        """Whether the list of finished episodes is being read."""
        return self._following.reading

    @property
    def allowed(self) -> list[str]:
        """The modules that may be imported for the run in focus."""
        return sorted(self._allowed.get(self.run_id or "", ()))

    # -- which episode --------------------------------------------------------------------------------------

    def open(self, run_id: str, episode: int | None) -> None:
        """Replay this run's episode, whatever is in focus now; None for its last finished one."""
        if self._shut:
            return
        self._stop_finding()
        if self._context.selection.focus != run_id:
            self._context.selection.choose([run_id])
        self._take_focus()
        self.set_follow(False)
        if episode is not None:
            self._open(episode)
            return
        folder = self._context.root.run(run_id)

        def found(book: Book) -> None:
            self._take_book((run_id, book))
            if book.last is not None:
                self._open(book.last)

        self._finding = self._context.ops.run(lambda: read_book(folder), done=found)

    def go_to(self, episode: int | None) -> None:
        """Open an episode of the run in focus, if there is one, and follow no more."""
        if episode is not None and self.run_id is not None:
            self.open(self.run_id, episode)

    def go_beside(self, by: int) -> None:
        """The finished episode before or after the open one."""
        self.go_to(self.book.last if self.episode is None else self.book.beside(self.episode, by))

    def open_again(self) -> None:
        """The same episode, from a new child."""
        episode = self.episode
        if episode is not None:
            self.let_go()
            self._open(episode)

    def allow(self, module: str) -> None:
        """Import this module for the run in focus, until the window closes; then try again."""
        if self.run_id is not None:
            self._allowed.setdefault(self.run_id, set()).add(module)
            self.open_again()

    def set_follow(self, follow: bool) -> None:
        """Show each newest finished episode once the open one has been played, or do so no more."""
        if follow == self.follow:
            return
        self.follow = follow
        self.follow_changed.emit()
        if follow and (self.projector is None or self.transport.ended or not self.transport.playing):
            self._go_on(now=True)

    @property
    def view(self) -> str:
        """What is shown of the open episode: the frame, the scene, or the scene as text."""
        there = () if self.opened is None else self.opened.views
        return self._context.views.of(self._names(), there)

    def choose_view(self, view: str) -> None:
        """Another view of this environment, wherever it is shown."""
        self._context.views.choose(self._names(), view)

    def choose_next_view(self) -> None:
        """The next view there is."""
        self._context.views.choose_next(self._names(), () if self.opened is None else self.opened.views)

    def _names(self) -> tuple[str, ...]:
        return () if self.opened is None else (self.opened.env_id or str(self.run_id),)

    def _view_changed(self) -> None:
        if self.opened is not None:
            self.blind = False  # what has no frame may have a scene
            self._moved()
            self.view_changed.emit()

    def branch(self, seats: Mapping[str, str]) -> None:
        """Start a new run in which somebody goes on from the step on screen.

        Args:
            seats: who, by agent; `*` for everybody that is not named.
        """
        if self.opened is None or self.run_id is None:
            return
        context, run_id, allowed = self._context, self.run_id, self.allowed
        episode, step = self.opened.row.index, min(self.transport.position, self.opened.last)
        context.toasts.say(f"Starting a branch from step {count(step)} of episode {count(episode)}…")

        def done(new: str) -> None:
            if PERSON in seats.values():
                context.asks.watch.emit(new)  # where they play
            context.toasts.say(
                f"A new run goes on from step {count(step)} of episode {count(episode)}.",
                level="good",
                action="Watch",
                act=lambda: context.asks.watch.emit(new),
                secs=10.0,
            )

        context.ops.run(
            lambda: branch(context.root, run_id, episode, step, seats=seats, allowed=allowed), done=done
        )

    def let_go(self) -> None:
        """Close the open episode."""
        self._stop_finding()
        if self.projector is not None:
            self.projector.close()
            self.retired = [*(one for one in self.retired if not one.join(0)), self.projector]
        self.projector = self.opened = self.shown = self._sought = None
        self.blind = False
        self.transport.load(last=0, fps=30.0)
        self.closed.emit()

    # -- being looked at ------------------------------------------------------------------------------------

    def start(self, looker: object = None) -> None:
        """Somebody looks."""
        self._following.start(looker)
        self._moved()

    def stop(self, looker: object = None) -> None:
        """This one looks no more; when nobody does, it stands still."""
        self._following.stop(looker)
        if not self._following.looking:
            self.transport.pause()

    def shut(self) -> None:
        """Let everything go, for good. Twice is fine."""
        self._shut = True
        for unhear in self._heard:
            unhear()
        self._following.close()
        self.let_go()

    # -- inside: opening ------------------------------------------------------------------------------------

    def _open(self, episode: int, *, play: bool = False) -> None:
        if self.run_id is None or self._shut or (self.episode == episode and self.opened is not None):
            return
        self.let_go()
        self._play_next = play
        self.projector = Projector(
            self._context.root.run(self.run_id),
            episode,
            allowed=self.allowed,
            post=self._context.bridge.post,
            audience=Audience(
                progress=self.opening.emit,
                opened=self._opened,
                shown=self._shown,
                failed=self._failed,
                problem=self._problem,
            ),
        )
        self.opening.emit(0, 0)

    def _stop_finding(self) -> None:
        """The last episode of a run is not wanted any more: the last request wins."""
        if self._finding is not None:
            self._finding.abandon()
            self._finding = None

    def _opened(self, opened: Opened) -> None:
        self.opened = opened
        self.ready.emit()
        self.transport.load(last=opened.last, fps=opened.fps, play=self._play_next)

    def _shown(self, frame: Frame | SceneAt) -> None:
        self.shown = frame
        self.painted.emit()

    def _failed(self, why: str, module: str) -> None:
        self.blind = True
        self.set_follow(False)  # the next one would fail as this one did
        self.refused.emit(why, module)

    def _problem(self, why: str) -> None:
        self.blind = True
        self.transport.pause()
        self.broken.emit(why)

    # -- inside: moving -------------------------------------------------------------------------------------

    def _moved(self) -> None:
        transport = self.transport
        if transport.playing and self._following.looking and not self._ticker.isActive():
            self._tick_at = time.monotonic()
            self._ticker.start()
        elif not transport.playing:
            self._ticker.stop()
        if self.projector is None or self.opened is None:
            return
        # The line may be longer than this episode: see `beside`.
        wanted = min(transport.position, self.opened.last), self.view
        if wanted != self._sought and not self.blind:
            self._sought = wanted
            ahead = transport.direction if transport.playing else 0
            self.projector.seek(wanted[0], ahead=ahead, view=FRAME if self.view == FRAME else SCENE)
        if transport.ended:
            self._go_on()

    def _tick(self) -> None:
        """Go on once the frame that was sought is there."""
        if not self._following.looking:
            self._ticker.stop()
            return
        if self.waits() or (
            not self.blind
            and (self.shown is None or self._sought is None or self.shown.step != self._sought[0])
        ):
            return
        now = time.monotonic()
        elapsed, self._tick_at = now - self._tick_at, now
        self.transport.advance(elapsed)

    # -- inside: which run, and what it has -----------------------------------------------------------------

    def _take_focus(self) -> None:
        focus = self._context.selection.focus
        if focus == self.run_id or self._shut:
            return
        self.run_id = focus
        self.set_follow(False)
        self._following.let_go()
        self.book = Book()
        self.let_go()
        self.listed.emit()
        self._following.ask()

    def _work(self, due: tuple[str, ...]) -> Callable[[], tuple[str, Book]]:
        run_id = due[0]
        folder = self._context.root.run(run_id)
        return lambda: (run_id, read_book(folder))

    def _take_book(self, found: tuple[str, Book]) -> bool:
        run_id, book = found
        if run_id == self.run_id and not self._shut:
            self.book = book
            self.listed.emit()
            self._go_on()
        return False

    def _go_on(self, *, now: bool = False) -> None:
        """While following: the newest finished episode, once the open one has been played."""
        last = self.book.last
        if not self.follow or last is None:
            return
        if last != self.episode and (now or self.episode is None or self.blind or self.transport.ended):
            self._open(last, play=True)
        elif now and self.opened is not None and not self.transport.playing:
            self.transport.toggle()
