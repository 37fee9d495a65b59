"""The last steps and episodes of one run, as the desktop lists them. Bounded; plain text. Qt-free."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from mosaic.protocol.runs import ENDED, RunState
from mosaic.text import count, number, span, visible
from mosaic.ui.shell.model.signal import Signal
from mosaic.ui.shell.model.values import value_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mosaic.protocol.rows import EpisodeRow, StepRow

__all__ = [
    "EPISODE_COLUMNS",
    "STEP_COLUMNS",
    "News",
    "StepLine",
    "Telemetry",
    "episode_cells",
    "step_cells",
]

STEP_COLUMNS = ("Episode", "Step", "Action", "Reward", "Flags", "Observation")
EPISODE_COLUMNS = ("Episode", "Return", "Length", "Outcome", "Took", "Env", "Seed")


class StepLine(NamedTuple):
    """A step and the episode it belongs to."""

    episode_id: str
    row: StepRow


class News(NamedTuple):
    """What was read of a run at once."""

    steps: Sequence[StepLine] = ()
    episodes: Sequence[EpisodeRow] = ()
    skipped_events: int = 0
    """How many events were left out to keep up."""
    anew: bool = False
    """Whether this is the first of a store: what was known before is of another one."""


class Telemetry:
    """The newest of one run. `changed` once per reading.

    Args:
        steps: how many steps are kept; the oldest go first.
        episodes: how many episodes are kept; the oldest go first.
    """

    def __init__(self, *, steps: int = 500, episodes: int = 200) -> None:
        self.changed: Signal[[]] = Signal()
        self.steps: deque[StepLine] = deque(maxlen=steps)
        self.episodes: dict[int, EpisodeRow] = {}
        self.skipped_events = 0
        self.problem = ""
        self.read = False
        """Whether it has been read at all."""
        self._most = episodes

    def clear(self) -> None:
        """Another run."""
        self._forget()
        self.problem, self.read = "", False
        self.changed.emit()

    def take(self, news: News) -> None:
        """What was read."""
        if news.anew:
            self._forget()
        self.steps.extend(news.steps)
        self.episodes.update((row.index, row) for row in news.episodes)
        while len(self.episodes) > self._most:
            del self.episodes[min(self.episodes)]
        self.skipped_events += news.skipped_events
        self.problem, self.read = "", True
        self.changed.emit()

    def fail(self, why: str) -> None:
        """It could not be read; it will be tried again."""
        self.problem = why
        self.changed.emit()

    def _forget(self) -> None:
        self.steps.clear()
        self.episodes.clear()
        self.skipped_events = 0

    def newest_steps(self) -> list[StepLine]:
        """The kept steps, newest first."""
        return list(reversed(self.steps))

    def newest_episodes(self) -> list[EpisodeRow]:
        """The kept episodes, newest first."""
        return [self.episodes[index] for index in sorted(self.episodes, reverse=True)]

    def said(self, *, state: RunState | None, connected: bool) -> str:
        """How the view stands to the run, in one sentence.

        Args:
            state: the run's; None when no run is chosen.
            connected: whether the daemon answers: without it nothing new comes into a store.
        """
        if self.problem:
            return f"Cannot be read, trying again: {self.problem}"
        skipped = (
            f" Skipped {count(self.skipped_events)} events to keep up; all of them are in the store."
            if self.skipped_events
            else ""
        )
        if not self.read:
            return "Reading…"
        empty = not self.steps and not self.episodes
        if state in ENDED or (state is RunState.PAUSED and not empty):
            stands = "has ended" if state in ENDED else "is paused"
            return f"The run {stands}; these were its last steps.{skipped}"
        if not connected:
            return f"Waiting for the daemon: without it nothing new is stored.{skipped}"
        if empty:
            paused = "The run is paused before its first step."
            return paused if state is RunState.PAUSED else "Waiting for the run's first step."
        return f"Live.{skipped}"


def step_cells(line: StepLine, episode: str) -> tuple[str, ...]:
    """One line of the step list; `episode` is how its episode is called."""
    row = line.row
    return (episode, count(row.step), *value_cells(row))


def episode_cells(row: EpisodeRow) -> tuple[str, ...]:
    """One line of the episode list."""
    took = None if row.t_start is None or row.t_end is None else max(0.0, row.t_end - row.t_start)
    env = str(row.env_index) + (f" · {visible(row.agent_id)}" if row.agent_id else "")
    outcome = visible(row.outcome) if row.outcome else "under way" if row.t_end is None else ""
    seed = "" if row.seed is None else str(row.seed)
    return count(row.index), number(row.return_), count(row.steps), outcome, span(took), env, seed
