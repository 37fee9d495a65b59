"""Original and branch side by side in the window: two real replays, one transport."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from mosaic.paths import DataRoot, RunFolder
from mosaic.protocol.runs import RunRow, RunState
from mosaic.replay.player import Player
from mosaic.store.reader import StoreReader
from mosaic.ui.parts import make_replay
from mosaic.ui.replay.tab import ReplayTab
from mosaic.ui.shell.context import Context
from tests.replay.branched import branched
from tests.replay.recorded import LOOP, record
from tests.ui.replay.test_tab import WAIT, pixels, press, replay

BEGINS = 6


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    home = tmp_path_factory.mktemp("beside") / "home"
    home.mkdir(mode=0o700)
    return record(home, LOOP.format(imports="", make='"CartPole-v1"', seed=5, episodes=2, steps=60))


@pytest.fixture(scope="module")
def branch(original: RunFolder) -> RunFolder:
    """Shorter than its original: it always pushes left."""
    return branched(original, 1, BEGINS)


@pytest.fixture
def tab(qtbot: QtBot, context: Context, original: RunFolder, branch: RunFolder) -> Iterator[ReplayTab]:
    made = make_replay(replace(context, root=DataRoot(Path(original.path.parent.parent))))
    qtbot.addWidget(made)
    made.resize(900, 700)
    made.show()
    tags = {"branch.episode": "1", "branch.step": str(BEGINS)}
    context.runs.update(
        [row(original, name="stem"), row(branch, name="twig", parent=original.run_id, tags=tags)]
    )
    yield made
    made.shut()
    assert all(projector.join(30) for projector in (*made.replaying.retired, *made.beside.retired))


def row(run: RunFolder, **more: Any) -> RunRow:
    given = {"name": "", "state": RunState.FINISHED, "reason": "", "created": 1.0, "command": ["python"]}
    return RunRow(run_id=run.run_id, **{**given, **more})


def twin_of(branch: RunFolder) -> int:
    with StoreReader(branch) as reader:
        return reader.episodes()[-1].index


def both_stand(qtbot: QtBot, tab: ReplayTab, mine: int, other: int) -> None:
    qtbot.waitUntil(
        lambda: (
            tab.replaying.shown is not None
            and tab.beside.shown is not None
            and (tab.replaying.shown.step, tab.beside.shown.step) == (mine, other)
        ),
        timeout=WAIT,
    )


def side_by_side(qtbot: QtBot, tab: ReplayTab) -> None:
    press(tab, "B")
    qtbot.waitUntil(lambda: tab.beside.on and tab.beside.shown is not None, timeout=WAIT)


def test_both_show_their_own_frame_of_every_step(
    qtbot: QtBot, context: Context, tab: ReplayTab, original: RunFolder, branch: RunFolder
) -> None:
    replay(qtbot, context, tab, original, 1)
    side_by_side(qtbot, tab)
    pair, view = tab.beside.pair, tab.beside_view
    assert pair is not None
    assert tab.stack.currentWidget() is view
    assert pair.branch.last < pair.original.last  # else the test shows less than it says
    with Player(original, 1) as old, Player(branch, twin_of(branch)) as new:
        for step in (0, BEGINS, pair.shared + 1, pair.original.last, 2):
            tab.transport.seek(step)
            shorter = min(step, pair.branch.last)
            both_stand(qtbot, tab, step, shorter)
            assert pixels(view.original.view.image) == old.frame(step).rgb
            assert pixels(view.branch.view.image) == new.frame(shorter).rgb
            assert view.original.foot.text() == pair.original.told(step)
            assert view.branch.foot.text() == pair.branch.told(step)
    assert view.original.title.text() == "Original · episode 1 · stem"
    assert view.branch.title.text().endswith("· twig")
    assert view.sentence.text() == pair.sentence()
    press(tab, "P")
    assert tab.transport.position == pair.parts_at
    press(tab, "B")
    assert not tab.beside.on
    assert tab.stack.currentWidget() is tab.view


def test_from_the_branch_the_line_is_as_long_as_the_longer_one_and_plays_to_its_end(
    qtbot: QtBot, context: Context, tab: ReplayTab, branch: RunFolder
) -> None:
    replay(qtbot, context, tab, branch, twin_of(branch))
    alone = tab.transport.last
    side_by_side(qtbot, tab)
    pair = tab.beside.pair
    assert pair is not None
    assert (alone, tab.transport.last) == (pair.branch.last, pair.original.last)
    assert len(tab.timeline._rewards) == pair.last  # drawn to the same scale
    tab.transport.set_speed(32.0)
    tab.transport.toggle()
    qtbot.waitUntil(lambda: tab.transport.ended, timeout=WAIT)
    both_stand(qtbot, tab, pair.branch.last, pair.original.last)
    assert tab.steps.currentIndex().row() == pair.branch.last
    tab.beside.off()
    assert (tab.transport.last, tab.transport.position) == (alone, alone)


def test_playing_waits_for_both_frames(
    qtbot: QtBot, context: Context, tab: ReplayTab, original: RunFolder
) -> None:
    replay(qtbot, context, tab, original, 1)
    side_by_side(qtbot, tab)
    both_stand(qtbot, tab, 0, 0)
    shown = tab.beside.shown
    tab.transport.toggle()
    tab.replaying._ticker.stop()  # time passes by hand
    tab.beside.shown = None
    tab.replaying._tick_at -= 1.0
    tab.replaying._tick()
    assert tab.transport.position == 0
    tab.beside.shown = shown
    tab.replaying._tick()
    assert tab.transport.position > 0
    tab.transport.pause()


def test_an_episode_with_neither_original_nor_branch_says_so(
    qtbot: QtBot, context: Context, tab: ReplayTab, original: RunFolder
) -> None:
    replay(qtbot, context, tab, original, 0)
    assert not tab.beside_button.isEnabled()
    assert "has no branch yet" in tab.beside_button.toolTip()
    assert not next(action for action in tab.commands() if "B" in action.keys).when()
    replay(qtbot, context, tab, original, 1)
    qtbot.waitUntil(tab.beside_button.isEnabled, timeout=WAIT)
    side_by_side(qtbot, tab)
    tab.replaying.go_to(0)  # another episode: nothing stands beside it
    assert not tab.beside.on
    assert not tab.beside_button.isEnabled()


def test_what_cannot_be_shown_is_told(
    qtbot: QtBot, context: Context, tab: ReplayTab, original: RunFolder, branch: RunFolder
) -> None:
    tags = {"branch.episode": "1", "branch.step": "9"}
    context.runs.update([row(branch, name="twig", parent="01J0000000000000000000GONE", tags=tags)])
    replay(qtbot, context, tab, branch, twin_of(branch))
    assert not tab.beside_button.isEnabled()  # its original is not there any more
    context.runs.update([row(branch, parent=original.run_id, tags=tags, name="twig")])
    context.runs.update([row(original, parent=branch.run_id, tags={**tags, "branch.episode": "0"})])
    replay(qtbot, context, tab, original, 1)
    press(tab, "B")  # the first there is: said to be its original, and is not
    qtbot.waitUntil(
        lambda: any("Not side by side" in toast.text for toast in context.toasts.history), timeout=WAIT
    )
    assert not tab.beside.on
