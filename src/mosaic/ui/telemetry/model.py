"""The last steps and episodes of one run, as the desktop lists them. Bounded; plain text. Qt-free."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from mosaic.text import count, number, span, visible
from mosaic.ui.shell.model.signal import Signal
from mosaic.ui.shell.model.values import value_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mosaic.protocol.rows import EpisodeRow, StepRow
    from mosaic.rpc.records import Batch, StepOf

__all__ = [
    "EPISODE_COLUMNS",
    "STEP_COLUMNS",
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


class Telemetry:
    """What came of a run's streams. `changed` once per batch.

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
        self.connected = False
        self.caught_up = False
        self.finished = False
        self._most = episodes

    def clear(self) -> None:
        """Another run."""
        self.steps.clear()
        self.episodes.clear()
        self.skipped_events, self.problem = 0, ""
        self.connected = self.caught_up = self.finished = False
        self.changed.emit()

    def take_steps(self, batch: Batch[StepOf]) -> None:
        """A batch of the step stream."""
        self.steps.extend(StepLine(episode_id, row) for episode_id, row in batch.rows)
        self._heard(batch.live)
        if batch.skipped is not None:
            self.skipped_events += max(0, batch.skipped.to_seq - batch.skipped.from_seq)
        self.changed.emit()

    def take_episodes(self, rows: Sequence[EpisodeRow]) -> None:
        """Episodes that came or changed."""
        self.episodes.update((row.index, row) for row in rows)
        while len(self.episodes) > self._most:
            del self.episodes[min(self.episodes)]
        self.changed.emit()

    def _heard(self, live: bool) -> None:
        self.connected, self.problem = True, ""
        self.caught_up = self.caught_up or live

    def lost(self, why: str) -> None:
        """The stream broke; it will be tried again."""
        self.connected, self.problem = False, why
        self.changed.emit()

    def complete(self) -> None:
        """The run has ended and all of it was sent."""
        self.finished = True
        self.changed.emit()

    def newest_steps(self) -> list[StepLine]:
        """The kept steps, newest first."""
        return list(reversed(self.steps))

    def newest_episodes(self) -> list[EpisodeRow]:
        """The kept episodes, newest first."""
        return [self.episodes[index] for index in sorted(self.episodes, reverse=True)]

    def said(self) -> str:
        """How the view stands to the run, in one sentence."""
        if self.problem:
            return f"Not connected, trying again: {self.problem}"
        skipped = (
            f" Skipped {count(self.skipped_events)} events to keep up; all of them are in the store."
            if self.skipped_events
            else ""
        )
        if self.finished:
            return f"The run has ended; these were its last steps.{skipped}"
        if not self.connected:
            return "Waiting for the daemon."
        if not self.steps and not self.episodes:
            return "Waiting for the run's first step."
        return f"{'Live' if self.caught_up else 'Catching up'}.{skipped}"


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
