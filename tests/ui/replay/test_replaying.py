"""A request for a replay: carried out at once, whatever is in focus; the last request wins."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mosaic.paths import DataRoot
from mosaic.ui.replay.model import Transport
from mosaic.ui.replay.replaying import Replaying
from tests.replay.recorded import LOOP, record
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from mosaic.paths import RunFolder
    from mosaic.ui.shell.context import Context

WAIT = 60_000


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("recorded") / "home"
    home.mkdir(mode=0o700)
    return home


@pytest.fixture(scope="module")
def cartpole(recordings: Path) -> RunFolder:
    return record(recordings, LOOP.format(imports="", make='"CartPole-v1"', seed=5, episodes=3, steps=50))


@pytest.fixture
def replaying(context: Context, recordings: Path) -> Iterator[Replaying]:
    made = Replaying(replace(context, root=DataRoot(recordings)), Transport())
    yield made
    made.shut()
    assert all(projector.join(30) for projector in made.retired)


def opened(replaying: Replaying) -> int | None:
    return None if replaying.opened is None else replaying.opened.row.index


def test_an_episode_of_a_run_that_is_not_in_focus_opens_without_a_list_of_episodes(
    qtbot: QtBot, context: Context, replaying: Replaying, cartpole: RunFolder
) -> None:
    context.selection.choose(["01JROW0000000000000000000A"])
    listed: list[int] = []
    replaying.listed.connect(lambda: listed.append(len(replaying.book)))
    context.asks.replay.emit(cartpole.run_id, 1)
    assert (context.selection.focus, replaying.episode) == (cartpole.run_id, 1), "at once"
    qtbot.waitUntil(lambda: opened(replaying) == 1, timeout=WAIT)
    assert set(listed) == {0}, "nobody looks: no list was read, and none was waited for"


def test_without_a_number_the_last_finished_episode_opens(
    qtbot: QtBot, context: Context, replaying: Replaying, cartpole: RunFolder
) -> None:
    context.asks.replay.emit(cartpole.run_id, None)
    assert context.selection.focus == cartpole.run_id
    qtbot.waitUntil(lambda: opened(replaying) == 2, timeout=WAIT)


def test_the_last_request_wins(
    qtbot: QtBot, context: Context, replaying: Replaying, cartpole: RunFolder
) -> None:
    replaying.open(cartpole.run_id, None)
    replaying.open(cartpole.run_id, 0)
    context.ops.run(lambda: None, done=lambda _: None)
    qtbot.waitUntil(lambda: opened(replaying) == 0, timeout=WAIT)
    replaying.open(cartpole.run_id, None)
    context.selection.choose(["01JROW0000000000000000000A"])
    assert (replaying.run_id, replaying.episode) == ("01JROW0000000000000000000A", None)


def test_a_request_for_the_last_episode_is_forgotten_when_another_request_comes(
    qtbot: QtBot, context: Context, replaying: Replaying, cartpole: RunFolder
) -> None:
    replaying.open(cartpole.run_id, None)
    first = replaying._finding
    replaying.open(cartpole.run_id, None)
    assert first is not None
    assert first.abandoned
    qtbot.waitUntil(lambda: opened(replaying) == 2, timeout=WAIT)
    replaying.open(cartpole.run_id, None)
    second = replaying._finding
    replaying.open(cartpole.run_id, 2)  # the one that is open already
    assert second is not None
    assert second.abandoned


def test_another_run_in_focus_closes_the_episode(
    qtbot: QtBot, context: Context, replaying: Replaying, cartpole: RunFolder
) -> None:
    replaying.open(cartpole.run_id, 0)
    qtbot.waitUntil(lambda: opened(replaying) == 0, timeout=WAIT)
    closed: list[bool] = []
    replaying.closed.connect(lambda: closed.append(True))
    context.selection.choose([])
    assert closed
    assert (replaying.run_id, replaying.opened, replaying.transport.last) == (None, None, 0)


def test_the_list_of_episodes_grows_with_the_run_while_somebody_looks(qtbot: QtBot, context: Context) -> None:
    made = Replaying(context, Transport())
    run = Stored(context.root)
    run.episodes([1.0])
    context.runs.update([run.commit()])
    context.selection.choose([run.run_id])
    made.start()
    qtbot.waitUntil(lambda: len(made.book) == 1, timeout=WAIT)
    run.episodes([3.0, 2.0])
    context.runs.update([run.commit()])
    qtbot.waitUntil(lambda: len(made.book) == 3, timeout=WAIT)
    assert made.book.best == 1
    made.shut()


def test_what_is_shut_opens_nothing(context: Context, replaying: Replaying, cartpole: RunFolder) -> None:
    replaying.shut()
    replaying.open(cartpole.run_id, 0)
    context.asks.replay.emit(cartpole.run_id, 0)
    assert replaying.projector is None
