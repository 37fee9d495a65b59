"""Reading for the details: while somebody looks, when the store or the manifest has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from mosaic.protocol.runs import RunState, StateChange
from mosaic.runs.folder import read_manifest, write_manifest
from mosaic.ui.details.feed import DetailsFeed
from mosaic.ui.details.model import Details, Facts
from tests.ui.stored import BEGUN, Stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000


@pytest.fixture
def details() -> Details:
    return Details()


@pytest.fixture
def feed(context: Context, details: Details) -> Iterator[DetailsFeed]:
    made = DetailsFeed(context, details)
    yield made
    made.stop()


def last_state(details: Details) -> RunState | None:
    manifest = details.facts.manifest
    return manifest.history[-1].state if manifest is not None and manifest.history else None


def test_nothing_is_read_before_somebody_looks_and_then_what_is_stored_later_too(
    qtbot: QtBot, context: Context, details: Details, feed: DetailsFeed
) -> None:
    run = Stored(context.root)
    run.episodes([1.0])
    context.runs.update([run.commit()])
    context.selection.choose([run.run_id])
    assert (details.run_id, details.facts) == (run.run_id, Facts())
    feed.start()
    qtbot.waitUntil(lambda: details.facts.summary is not None, timeout=WAIT_MS)
    run.episodes([2.0])
    context.runs.update([run.commit()])
    qtbot.waitUntil(
        lambda: details.facts.summary is not None and details.facts.summary.episodes == 2, timeout=WAIT_MS
    )
    context.selection.choose([])
    assert (details.run_id, details.facts) == (None, Facts())


@pytest.mark.parametrize("looking", [True, False])
def test_a_run_that_is_paused_and_stores_nothing_has_it_in_its_history(
    qtbot: QtBot, context: Context, details: Details, feed: DetailsFeed, looking: bool
) -> None:
    run = Stored(context.root)
    row = run.commit()
    context.runs.update([row])
    context.selection.choose([run.run_id])
    feed.start()
    qtbot.waitUntil(lambda: details.facts.manifest is not None, timeout=WAIT_MS)
    if not looking:
        feed.stop()
    manifest = read_manifest(run.folder)
    manifest.history.append(StateChange(RunState.PAUSED, "by the user", BEGUN + 1))
    write_manifest(run.folder, manifest)
    context.runs.update([msgspec.structs.replace(row, state=RunState.PAUSED, reason="by the user")])
    feed.start()
    qtbot.waitUntil(lambda: last_state(details) is RunState.PAUSED, timeout=WAIT_MS)
