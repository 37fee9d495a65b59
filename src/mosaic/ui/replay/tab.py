"""Qt view of a recorded episode: its pictures, rewards and steps. The player lives on a thread of its own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, QTimer

from mosaic.protocol.runs import ENDED
from mosaic.text import count, number
from mosaic.ui.replay.branching import branch
from mosaic.ui.replay.commands import replay_commands
from mosaic.ui.replay.model import Book
from mosaic.ui.replay.parts import ReplayParts
from mosaic.ui.replay.projector import Audience, Projector
from mosaic.ui.replay.shelf import Shelf
from mosaic.ui.shell.model.values import value_cells

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from mosaic.replay.cache import Frame
    from mosaic.ui.replay.projector import Opened
    from mosaic.ui.shell.context import Context
    from mosaic.ui.shell.model.actions import Action

__all__ = ["ReplayTab"]

_BOOK_MILLIS = 500
_TICK_MILLIS = 8


class ReplayTab(ReplayParts):
    """Replays episodes of the run in focus. Hidden, it stands still and keeps its place."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._context = context
        self.book = Book()
        self.opened: Opened | None = None
        self.shown: Frame | None = None
        self.projector: Projector | None = None
        self.retired: list[Projector] = []
        """Closed ones whose threads have not ended yet."""
        self._run_id: str | None = None
        self._allowed: dict[str, set[str]] = {}
        self._wish: tuple[str, int | None] | None = None
        self._play_next = False
        self._asked: int | None = None
        self._blind = False
        self._closed = False
        self.shelf = Shelf(context, came=self._book_came)
        self._tick_at = 0.0
        self._connect()
        self._ticker = QTimer(self)
        self._ticker.setTimerType(Qt.TimerType.PreciseTimer)
        self._ticker.setInterval(_TICK_MILLIS)
        self._ticker.timeout.connect(self._tick)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_BOOK_MILLIS)
        self._later.timeout.connect(self._read_book)
        self.transport.changed.connect(self._moved)
        self._heard = [
            context.selection.changed.connect(self._follow_focus),
            context.runs.changed.connect(self._runs_changed),
            context.asks.replay.connect(self._asked_for),
        ]
        self._explain()

    def _connect(self) -> None:
        bar = self.bar
        bar.chosen = self._typed
        bar.previous.clicked.connect(lambda: self.go_beside(-1))
        bar.next.clicked.connect(lambda: self.go_beside(1))
        bar.last.clicked.connect(lambda: self.go_to(self.book.last))
        bar.best.clicked.connect(lambda: self.go_to(self.book.best))
        bar.worst.clicked.connect(lambda: self.go_to(self.book.worst))
        bar.follow.toggled.connect(self._follow_toggled)
        self.episodes.clicked.connect(lambda index: self._pick(index.row()))
        self.episodes.activated.connect(lambda index: self._pick(index.row()))
        self.branch_button.clicked.connect(self.branch)
        self.buttons.add("full", "Full screen (F)", self.toggle_full_screen)

    # ---- which episode ----

    def commands(self) -> list[Action]:
        """What a user can do here, for menus, palette and keys."""
        return replay_commands(self)

    def go_to(self, episode: int | None) -> None:
        """Open an episode, if there is one, and follow no more."""
        if episode is not None:
            self.bar.follow.setChecked(False)
            self.open(episode)

    def go_beside(self, by: int) -> None:
        """The finished episode before or after the open one."""
        here = self.projector.episode if self.projector is not None else None
        self.go_to(self.book.last if here is None else self.book.beside(here, by))

    def _typed(self, episode: int) -> None:
        self.go_to(episode)
        self.view.setFocus()  # the number is typed: from now on keys move the episode again

    def open(self, episode: int, *, play: bool = False) -> None:
        """Replay this episode of the run in focus."""
        if self._run_id is None or self._closed:
            return
        if self.projector is not None and self.projector.episode == episode and self.opened is not None:
            return
        self._let_go()
        self._play_next = play
        self.bar.show_number(episode)
        self.projector = Projector(
            self._context.root.run(self._run_id),
            episode,
            allowed=sorted(self._allowed.get(self._run_id, ())),
            post=self._context.bridge.post,
            audience=Audience(
                progress=self._opening,
                opened=self._opened,
                shown=self._shown,
                failed=self._failed,
                problem=self._problem,
            ),
        )
        self._opening(0, 0)

    def open_again(self) -> None:
        """The same episode, from a new child."""
        if self.projector is not None:
            episode = self.projector.episode
            self._let_go()
            self.open(episode)

    def allow(self, module: str) -> None:
        """Import this module for the run in focus, until the window closes; then try again."""
        if self._run_id is not None:
            self._allowed.setdefault(self._run_id, set()).add(module)
            self.open_again()

    def branch(self) -> None:
        """Start a new run that goes on from the step on screen, with random actions."""
        if self.opened is None or self._run_id is None:
            return
        context, run_id = self._context, self._run_id
        episode, step = self.opened.row.index, self.transport.position
        allowed = sorted(self._allowed.get(run_id, ()))
        context.toasts.say(f"Starting a branch from step {count(step)} of episode {count(episode)}…")

        def done(new: str) -> None:
            context.toasts.say(
                f"A new run goes on from step {count(step)} of episode {count(episode)}.",
                level="good",
                action="Watch",
                act=lambda: context.asks.watch.emit(new),
                secs=10.0,
            )

        context.ops.run(lambda: branch(context.root, run_id, episode, step, allowed=allowed), done=done)

    def _let_go(self) -> None:
        if self.projector is not None:
            self.projector.close()
            self.retired = [*(one for one in self.retired if not one.join(0)), self.projector]
        self.projector = self.opened = self.shown = self._asked = None
        self._blind = False
        self.transport.load(last=0, fps=30.0)
        self.timeline.load(np.empty(0))
        self.steps.rows.replace(0, lambda _: ())
        self.bar.close_episode()
        self.view.clear()
        self._explain()

    def shut(self) -> None:
        """Let everything go, for good. Twice is fine."""
        self._closed = True
        for unhear in self._heard:
            unhear()
        if self.full is not None:
            self.full.leave()
        self.export_bar.cancel()
        self._let_go()

    # ---- what the projector says ----

    def _opening(self, done: int, of: int) -> None:
        self.stack.setCurrentWidget(self.notice)
        episode = self.projector.episode if self.projector is not None else 0
        self.notice.say(
            f"Opening episode {count(episode)}",
            "It is simulated again in a process of its own and compared with the record.",
            offers=(("Cancel", self._let_go),),
            progress=(done, of),
        )

    def _opened(self, opened: Opened) -> None:
        self.opened = opened
        rewards = np.array([row.reward for row in opened.steps], np.float64)
        step = opened.verdict.step
        self.timeline.load(rewards, diverged=None if opened.verdict.exact or step is None else step + 1)
        self.steps.rows.replace(opened.last + 1, self._step_cells)
        self.bar.show_opened(opened)
        if self._run_id is not None:
            allowed = sorted(self._allowed.get(self._run_id, ()))
            self.export_bar.offer(self._context.root.run(self._run_id), opened.row.index, allowed=allowed)
        self.transport.load(last=opened.last, fps=opened.fps, play=self._play_next)
        self._explain()
        self._moved()

    def _shown(self, frame: Frame) -> None:
        self.shown = frame
        self.view.show_pixels(frame.array())
        self.stack.setCurrentWidget(self.view)

    def _failed(self, why: str, module: str) -> None:
        self._blind = True
        self.bar.follow.setChecked(False)  # the next one would fail as this one did
        self.stack.setCurrentWidget(self.notice)
        if module:
            self.notice.say(
                "This replay needs your consent",
                f"Its environment comes from the module '{module}', which would be imported and run in a "
                "process of its own. Allow it only if you trust it.",
                offers=((f"Allow importing {module} for this run", lambda: self.allow(module)),),
            )
        else:
            self.notice.say("This episode cannot be replayed", why, offers=(("Try again", self.open_again),))

    def _problem(self, why: str) -> None:
        self._blind = True
        self.transport.pause()
        self.stack.setCurrentWidget(self.notice)
        self.notice.say("No picture", why, offers=(("Open the episode again", self.open_again),))

    # ---- moving ----

    def _moved(self) -> None:
        transport = self.transport
        if transport.playing and self.isVisible() and not self._ticker.isActive():
            self._tick_at = time.monotonic()
            self._ticker.start()
        elif not transport.playing:
            self._ticker.stop()
        if self.projector is None or self.opened is None:
            return
        if transport.position != self._asked and not self._blind:
            self._asked = transport.position
            self.projector.seek(transport.position, ahead=transport.direction if transport.playing else 0)
        if self.steps.currentIndex().row() != transport.position:
            self.steps.setCurrentIndex(self.steps.rows.index(transport.position, 0))
        if transport.ended:
            self._go_on()

    def _tick(self) -> None:
        """Go on once the picture that was asked for is there."""
        if not self.isVisible() and self.full is None:
            self._ticker.stop()
            return
        if not self._blind and (self.shown is None or self.shown.step != self.transport.position):
            return
        now = time.monotonic()
        elapsed, self._tick_at = now - self._tick_at, now
        self.transport.advance(elapsed)

    # ---- which run, and what it has ----

    def _asked_for(self, run_id: str, episode: int | None) -> None:
        self._wish = (run_id, episode)
        if self._context.selection.focus == run_id and self._run_id == run_id:
            self._grant()
            self._read_book()

    def _grant(self) -> None:
        """Open what was asked for, as soon as it can be."""
        if self._wish is None or self._wish[0] != self._run_id:
            return
        episode = self._wish[1] if self._wish[1] is not None else self.book.last
        if episode is not None:
            self._wish = None
            self.open(episode)
            self.view.setFocus()

    def _follow_focus(self) -> None:
        focus = self._context.selection.focus
        if focus == self._run_id or self._closed:
            return
        self._run_id = focus
        self.bar.follow.setChecked(False)
        self._let_go()
        self._take_book(Book())
        self._read_book()

    def _runs_changed(self, changed: frozenset[str]) -> None:
        if self._run_id in changed and not self._later.isActive():
            self._later.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody looks: bring the list of episodes up to date."""
        super().showEvent(event)
        self._read_book()
        self._moved()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: stand still."""
        super().hideEvent(event)
        if self.full is None:
            self.transport.pause()

    def _read_book(self) -> None:
        wished = self._wish is not None and self._wish[0] == self._run_id
        if self._run_id is not None and not self._closed and (self.isVisible() or wished):
            self.shelf.read(self._run_id)

    def _book_came(self, run_id: str, book: Book) -> None:
        if run_id == self._run_id and not self._closed:
            self._take_book(book)
            self._grant()
            self._go_on()

    def _take_book(self, book: Book) -> None:
        self.book = book
        self.bar.show_book(book)
        self.episodes.rows.fill(len(book), self._episode_cells)
        if self.projector is None:
            self._explain()

    def _follow_toggled(self, follow: bool) -> None:
        if follow and (self.projector is None or self.transport.ended or not self.transport.playing):
            self._go_on(now=True)

    def _go_on(self, *, now: bool = False) -> None:
        """While following: the newest finished episode, once the open one has been played."""
        last, here = self.book.last, self.projector.episode if self.projector is not None else None
        if not self.bar.follow.isChecked() or last is None:
            return
        if last != here and (now or here is None or self._blind or self.transport.ended):
            self.open(last, play=True)
        elif now and self.opened is not None and not self.transport.playing:
            self.transport.toggle()

    # ---- in words ----

    def _explain(self) -> None:
        """What the stage says while no picture can be there."""
        ready = self.opened is not None
        for widget in (self.timeline, self.buttons):
            widget.setEnabled(ready)
        if not ready:
            self.export_button.setChecked(False)
        if self.projector is not None:
            return
        self.stack.setCurrentWidget(self.notice)
        row = self._context.runs.get(self._run_id)
        if self._run_id is None:
            self.notice.say("No run chosen", "Choose a run in the list to replay its episodes.")
        elif len(self.book):
            self.notice.say(
                f"{count(len(self.book))} episodes can be replayed",
                "Choose one below, or begin with the newest.",
                offers=(
                    ("Replay the last episode", lambda: self.go_to(self.book.last)),
                    ("Replay the best", lambda: self.go_to(self.book.best)),
                ),
            )
        elif row is not None and row.state in ENDED:
            self.notice.say("Nothing to replay", "This run has ended without finishing an episode.")
        else:
            self.notice.say(
                "No finished episode yet", "Each episode of this run can be replayed here once it has ended."
            )

    def _episode_cells(self, place: int) -> tuple[str, ...]:
        at = len(self.book) - 1 - place
        if not 0 <= at < len(self.book):
            return ()
        book = self.book
        return count(int(book.index[at])), number(float(book.returns[at])), count(int(book.steps[at]))

    def _step_cells(self, place: int) -> tuple[str, ...]:
        if place == 0 or self.opened is None or place > self.opened.last:
            return ("0", "reset")
        action, reward, flags, obs = value_cells(self.opened.steps[place - 1])
        return count(place), action, reward, flags, obs

    def _pick(self, place: int) -> None:
        at = len(self.book) - 1 - place
        if 0 <= at < len(self.book):
            self.go_to(int(self.book.index[at]))
