"""Keeps the list of checkpoints up to date while somebody looks, and compares their bytes when asked to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.shell.following import Following

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mosaic.artifacts.checkpoints import Known
    from mosaic.protocol.cards import Capabilities
    from mosaic.ui.checkpoints.model import Card, Checkpoints
    from mosaic.ui.shell.context import Context

__all__ = ["CheckpointsFeed"]

_Found = tuple[list["Known"], dict[str, "Capabilities"]]


class CheckpointsFeed:
    """Reads for Checkpoints.

    Args:
        context: where the runs are, and who does slow things.
        listed: whose checkpoints are wanted, and where they go.
        gap_ms: the shortest time between two reads.
        most: how many are listed; of more, the newest.
    """

    def __init__(
        self, context: Context, listed: Checkpoints, *, gap_ms: int = 2000, most: int = 2000
    ) -> None:
        self._context, self._listed, self._most = context, listed, most
        self._following: Following[_Found] = Following(
            context,
            wanted=self._wanted,
            work=self._work,
            take=self._take,
            failed=listed.fail,
            gap_ms=gap_ms,
        )
        listed.asked.connect(self._read_others)
        context.runs.changed.connect(self._moved)
        context.selection.changed.connect(lambda: listed.turn_to(context.selection.focus))
        listed.turn_to(context.selection.focus)

    def start(self, looker: object = None) -> None:
        """Somebody looks."""
        self._following.start(looker)

    def stop(self, looker: object = None) -> None:
        """This one looks no more; when nobody does, nothing is read."""
        self._following.stop(looker)

    def verify(self, card: Card) -> None:
        """Compare a checkpoint's bytes with the record, and say what came out."""
        known = self._listed.unverified(card)

        def work() -> Known:
            from mosaic.artifacts import checkpoints

            return checkpoints.verified(known)

        def done(found: Known) -> None:
            self._listed.take_verified(found)
            good = found.intact is True
            said = "The bytes are the recorded ones" if good else found.note or "The bytes have changed"
            self._context.toasts.say(f"{said}: {found.path.name}", level="good" if good else "bad")

        self._context.ops.run(work, done=done)

    # -- inside ---------------------------------------------------------------------------------------------

    def _wanted(self) -> Sequence[str]:
        if self._listed.everywhere:
            return [row.run_id for row in self._context.runs.rows]
        return () if self._listed.run_id is None else (self._listed.run_id,)

    def _read_others(self) -> None:
        self._following.let_go()
        self._ask()

    def _moved(self, moved: frozenset[str]) -> None:
        """Of all runs, one that is gone takes its checkpoints with it."""
        if self._listed.everywhere and any(self._context.runs.get(run_id) is None for run_id in moved):
            self._ask(anew=True)

    def _ask(self, *, anew: bool = False) -> None:
        if self._listed.everywhere and not len(self._context.runs):
            self._listed.take([], {})  # there is no run whose store could move
        self._following.ask(anew=anew)

    def _work(self, due: tuple[str, ...]) -> Callable[[], _Found]:
        root, most, everywhere = self._context.root, self._most, self._listed.everywhere

        def work() -> _Found:
            from mosaic.artifacts import checkpoints

            found = checkpoints.everywhere(root) if everywhere else checkpoints.of_run(root, due[0])
            return found[:most], _capabilities()

        return work

    def _take(self, found: _Found) -> bool:
        self._listed.take(*found)
        return False


def _capabilities() -> dict[str, Capabilities]:
    """What each runner can do."""
    from mosaic.runners import registry

    return {one.id: one.runner.card.capabilities for one in registry.listed() if one.runner is not None}
