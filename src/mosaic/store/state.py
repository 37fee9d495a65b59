"""The roll-up a store keeps of itself: one small record, saved with every commit. Pure."""

from __future__ import annotations

import math
from bisect import insort
from typing import TYPE_CHECKING

import msgspec

from mosaic.protocol.counting import counts, training_first
from mosaic.protocol.ready import ready
from mosaic.protocol.rows import StoreSummary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mosaic.store.episodes import Live

__all__ = ["RECENT", "Ended", "Recent", "State", "unrecorded"]

RECENT = 100
"""How many of the latest episodes a mean is made of."""
_SPEED_WINDOW_SECS = 10.0
_SPEED_SAMPLES = 64
_MAX_WARNINGS = 32
_MAX_ENV_IDS = 64
_MAX_HOOKS = 16
_HOOK_CELLS = 80
_MOST_TIMES = 1 << 53


Ended = tuple[int, int, float]
"""An ended episode: the number of its last event, by which they are sorted, its index, and its return."""


class Recent(msgspec.Struct, kw_only=True):
    """The latest episodes that count, training (and unknown ones) apart from evaluation."""

    trained: list[Ended] = []
    evaluated: list[Ended] = []

    def put(self, one: Ended, *, evaluated: bool) -> None:
        """Take in an episode that ended, or ended anew."""
        pool = self.evaluated if evaluated else self.trained
        insort(pool, one)
        del pool[:-RECENT]

    def forget(self, index: int) -> bool:
        """Take out an episode, of which other things hold now. True: an older one should take its place."""
        was_full = False
        for pool in (self.trained, self.evaluated):
            known = [one for one in pool if one[1] != index]
            was_full = was_full or (len(known) < len(pool) == RECENT)
            pool[:] = known
        return was_full


class State(msgspec.Struct, kw_only=True):
    """Counters, cursors of the files ingest writes beside the store, and what the last events said."""

    store_seq: int = 0
    episodes: int = 0
    steps: int = 0
    metrics: int = 0
    checkpoints: int = 0
    quarantined: int = 0
    unknown: int = 0
    holes: int = 0
    recent_returns: Recent | None = None
    """None: to be read from the rows (`store.recent`), as in every store of version 0.1."""
    train_episodes: int = 0
    eval_episodes: int = 0
    t_first: float | None = None
    t_last: float | None = None
    speed: list[tuple[float, int]] = []
    env_ids: list[str] = []
    warnings: list[str] = []
    hook_errors: dict[str, int] = {}
    order_lines: int = 0
    order_bytes: int = 0
    quarantine_id: int = 0
    quarantine_bytes: int = 0
    quarantine_kept: int = 0
    boot_id: str = ""
    long_lines: dict[str, int] = {}
    """Where the line began that ingest is passing over, by source: it is longer than any event may be."""
    open_pack: int | None = None
    dropped_to: dict[str, int] = {}
    """Up to where a log was dropped for its quota: NULs before that were not lost."""

    def warn(self, text: str) -> bool:
        """Keep a warning for people; the same one once, the first few dozen of them. Whether it is new."""
        is_new = text not in self.warnings and len(self.warnings) < _MAX_WARNINGS
        if is_new:
            self.warnings.append(text)
        return is_new

    def passing(self, source: str, line: int | None) -> None:
        """Remember where the line began that a source's cursor stands in; None: in no line."""
        if line is None:
            self.long_lines.pop(source, None)
        else:
            self.long_lines[source] = line

    def saw_bye(self, hook_errors: dict[str, int]) -> None:
        """A producer closed, and said what our own hooks in it failed to record. Others may follow."""
        for name, times in hook_errors.items():
            where = name[:_HOOK_CELLS]
            if where not in self.hook_errors and len(self.hook_errors) >= _MAX_HOOKS:
                where = "other hooks"
            self.hook_errors[where] = min(self.hook_errors.get(where, 0) + max(0, times), _MOST_TIMES)

    def saw_env(self, env_id: str) -> None:
        """Remember an environment's id."""
        if env_id not in self.env_ids and len(self.env_ids) < _MAX_ENV_IDS:
            self.env_ids.append(env_id)

    def saw_role(self, role: str | None) -> None:
        """An episode began. Asked once for each, at its `reset`."""
        self.train_episodes += role == "train"
        self.eval_episodes += role == "eval"

    def saw_end(self, live: Live) -> None:
        """An episode ended, or something came to be known of one that had: asked each time its row is saved.

        What an ended episode says may change, and numbers must not depend on when that was noticed. So the
        latest are those whose last events came last, and one that changes is taken out and put in again.
        """
        if self.recent_returns is None:
            return
        was_known = live.curve is not None
        lacks_one = was_known and self.recent_returns.forget(live.index)
        if counts(live.steps, live.mark):
            self.recent_returns.put((live.seq, live.index, live.return_), evaluated=live.role == "eval")
        elif lacks_one:
            self.recent_returns = None  # only the rows know which one comes next

    def saw_times(self, first: float, last: float) -> None:
        """Events of this span of time came in. Zero means that their writer gave none."""
        if first > 0.0 and math.isfinite(first) and (self.t_first is None or first < self.t_first):
            self.t_first = first
        if last > 0.0 and math.isfinite(last) and (self.t_last is None or last > self.t_last):
            self.t_last = last

    def sample_speed(self) -> None:
        """Note how many steps there were at which event time; enough of that is a speed."""
        if self.t_last is None:
            return
        if self.speed and self.t_last - self.speed[-1][0] < _SPEED_WINDOW_SECS / _SPEED_SAMPLES:
            return
        self.speed.append((self.t_last, self.steps))
        while len(self.speed) > 1 and self.speed[1][0] <= self.t_last - _SPEED_WINDOW_SECS:
            del self.speed[0]

    def summary(self) -> StoreSummary:
        """What listings show."""
        speed = None
        if self.speed and self.t_last is not None and self.t_first is not None:
            t, steps = self.speed[0] if len(self.speed) > 1 else (self.t_first, 0)
            if self.t_last > t:
                speed = (self.steps - steps) / (self.t_last - t)
        kept = {name: getattr(self, name) for name in _KEPT}
        warnings = self.warnings + unrecorded(self.hook_errors)
        kept |= {"env_ids": list(self.env_ids), "warnings": warnings, "warned": len(warnings)}
        recent = self.recent_returns or Recent()
        told = training_first(recent.trained, recent.evaluated)
        return StoreSummary(
            last_return=told[-1][2] if told else None,
            mean_return_100=_mean(told),
            returns_of=("eval" if told is recent.evaluated else "train") if told else None,
            eval_mean_return_100=_mean(recent.evaluated),
            steps_per_sec=speed,
            **kept,
        )


def unrecorded(hook_errors: dict[str, int]) -> list[str]:
    """What to tell people about hooks that failed; nothing when none did."""
    failed = [
        f"{name!r} failed {'once' if times == 1 else f'{times:,} times'}"
        for name, times in hook_errors.items()
        if times
    ]
    if not failed:
        return []
    return [
        f"not everything was recorded: {', '.join(failed)}. The script was not disturbed, but what these "
        "hooks of MOSAIC should have recorded is missing. The first error of each stands in the run's stderr "
        "(mosaic logs RUN --stderr): please report it."
    ]


def _mean(episodes: Sequence[Ended]) -> float | None:
    return sum(return_ for _, _, return_ in episodes) / len(episodes) if episodes else None


_KEPT = tuple(name for name in StoreSummary.__struct_fields__ if name in State.__struct_fields__)
"""What the state holds under the name the summary has for it; the rest is computed."""
ready(State)
