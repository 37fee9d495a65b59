"""What can be done to runs, off the window's thread. Each says what came of it as a toast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.app.reading import daemon
from mosaic.app.submitting import parse_tag
from mosaic.errors import MosaicError, UsageError
from mosaic.protocol.runs import DELETABLE, ENDED, RunState
from mosaic.ui.shell.model.words import title

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mosaic.protocol.runs import RunRow
    from mosaic.rpc.client import Client
    from mosaic.ui.runs.model.deletions import Deletions
    from mosaic.ui.shell.context import Context

__all__ = ["carry_out", "delete", "live", "pause_or_unpause", "rename", "retag", "stop", "undo"]


def live(rows: Sequence[RunRow]) -> list[RunRow]:
    """Those that have not ended."""
    return [row for row in rows if row.state not in ENDED]


def stop(context: Context, rows: Sequence[RunRow]) -> None:
    """Stop these runs and everything they started."""
    chosen = live(rows)
    _each(context, chosen, lambda client, row: client.stop(row.run_id), said=f"Stopping {_names(chosen)}.")


def pause_or_unpause(context: Context, rows: Sequence[RunRow]) -> None:
    """Unpause those that are paused when the first one is, else pause those that are not."""
    chosen = live(rows)
    if not chosen:
        return
    if chosen[0].state is RunState.PAUSED:
        paused = [row for row in chosen if row.state is RunState.PAUSED]
        _each(
            context,
            paused,
            lambda client, row: client.unpause(row.run_id),
            said=f"Unpaused {_names(paused)}.",
        )
    else:
        running = [row for row in chosen if row.state is not RunState.PAUSED]
        _each(
            context, running, lambda client, row: client.pause(row.run_id), said=f"Paused {_names(running)}."
        )


def rename(context: Context, row: RunRow, name: str) -> None:
    """Give a run another name; an empty one takes the name away."""
    wanted = name.strip()
    if wanted != row.name:
        _each(context, [row], lambda client, row: client.edit(row.run_id, name=wanted), said="")


def retag(context: Context, row: RunRow, text: str) -> None:
    """Give a run exactly these tags: `key=value` with spaces between."""
    try:
        tags = dict(parse_tag(word) for word in text.split())
    except UsageError as error:
        context.toasts.say(str(error), level="bad")
        return
    drop = [key for key in row.tags if key not in tags]
    if tags != row.tags:
        _each(
            context,
            [row],
            lambda client, row: client.edit(row.run_id, set_tags=tags, drop_tags=drop),
            said="",
        )


def delete(context: Context, deletions: Deletions, rows: Sequence[RunRow]) -> None:
    """Delete ended and unreadable runs, after a while to undo it. Others have to be stopped first."""
    ended = [row for row in rows if row.state in DELETABLE]
    if len(ended) < len(rows):
        one = next(row for row in rows if row.state not in DELETABLE)
        context.toasts.say(f"{title(one)} is {one.state.value}: stop it first, then delete it.", level="bad")
    if not ended:
        return
    ids = [row.run_id for row in ended]
    deletions.ask(ids)
    context.toasts.say(
        f"Deleting {_names(ended)}.",
        action="Undo",
        act=lambda: undo(context, deletions, ids),
        secs=deletions.delay_secs,
    )


def undo(context: Context, deletions: Deletions, run_ids: Sequence[str] | None = None) -> None:
    """Keep what was to be deleted."""
    kept = deletions.undo(run_ids)
    if kept:
        context.toasts.say(f"Kept {len(kept)} run{'s' if len(kept) > 1 else ''}.", level="good")


def carry_out(context: Context, deletions: Deletions) -> None:
    """Delete for good those whose time has come."""
    for run_id in deletions.due():

        def work(run_id: str = run_id) -> None:
            with daemon(context.root) as client:
                client.delete(run_id)

        def done(_: None, run_id: str = run_id) -> None:
            context.runs.update([], gone=[run_id])
            context.selection.forget(run_id)
            deletions.settle(run_id)

        def failed(text: str, run_id: str = run_id) -> None:
            deletions.settle(run_id)
            context.toasts.say(f"Not deleted: {text}", level="bad", secs=10)

        context.ops.run(work, done=done, failed=failed)


def _each(
    context: Context, rows: Sequence[RunRow], call: Callable[[Client, RunRow], RunRow], *, said: str
) -> None:
    """The same call for several runs over one connection; what fails is said, the rest is done."""

    def work() -> tuple[list[RunRow], list[str]]:
        done: list[RunRow] = []
        failed: list[str] = []
        with daemon(context.root) as client:
            for row in rows:
                try:
                    done.append(call(client, row))
                except MosaicError as error:  # noqa: PERF203  (each run is another call)
                    failed.append(str(error))
        return done, failed

    def finish(outcome: tuple[list[RunRow], list[str]]) -> None:
        done, failed = outcome
        context.runs.update(done)
        if failed:
            context.toasts.say(" ".join(dict.fromkeys(failed)), level="bad", secs=10)
        elif said:
            context.toasts.say(said)

    if rows:
        context.ops.run(work, done=finish)


def _names(rows: Sequence[RunRow]) -> str:
    return title(rows[0]) if len(rows) == 1 else f"{len(rows)} runs"
