"""One open episode on its own thread: the newest wish counts, and closing ends everything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mosaic.paths import RunFolder
from mosaic.replay.player import Player
from mosaic.ui.replay.projector import Audience, Opened, Projector
from tests.daemons import until
from tests.replay.recorded import LOOP, record


@pytest.fixture(scope="module")
def cartpole(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    home = tmp_path_factory.mktemp("projected") / "home"
    home.mkdir(mode=0o700)
    return record(home, LOOP.format(imports="", make='"CartPole-v1"', seed=5, episodes=2, steps=200))


class Hall:
    """Whoever is told, in the order it happens; no window is needed."""

    def __init__(self) -> None:
        self.opened: list[Opened] = []
        self.frames: list[Any] = []
        self.said: list[str] = []
        self.progress: list[tuple[int, int]] = []
        self.audience = Audience(
            progress=lambda done, of: self.progress.append((done, of)),
            opened=self.opened.append,
            shown=self.frames.append,
            failed=lambda why, module: self.said.append(f"{why}|{module}"),
            problem=self.said.append,
        )

    def post(self, call: Callable[[], object]) -> None:
        call()


def test_what_is_shown_is_what_was_wished_for_last(cartpole: RunFolder) -> None:
    hall = Hall()
    projector = Projector(cartpole, 1, post=hall.post, audience=hall.audience)
    try:
        until(lambda: hall.opened, timeout_secs=60)
        last = hall.opened[0].last
        for step in range(last):
            projector.seek(step)
        projector.seek(last, ahead=1)
        until(lambda: hall.frames and hall.frames[-1].step == last, timeout_secs=60)
        steps = [frame.step for frame in hall.frames]
        assert steps == sorted(steps)
        with Player(cartpole, 1) as player:
            assert hall.frames[-1].rgb == player.frame(last).rgb
            assert [row.action for row in hall.opened[0].steps] == [row.action for row in player.recorded]
    finally:
        projector.close()
        assert projector.join(30)
    assert not hall.said


def test_playing_fetches_ahead(cartpole: RunFolder) -> None:
    hall = Hall()
    projector = Projector(cartpole, 0, post=hall.post, audience=hall.audience)
    try:
        until(lambda: hall.opened, timeout_secs=60)
        projector.seek(0, ahead=1)
        until(lambda: projector._player is not None and projector._player._cache.get(1), timeout_secs=60)
        assert [frame.step for frame in hall.frames] == [0]
    finally:
        projector.close()
        assert projector.join(30)


def test_closing_while_it_opens_ends_it_and_says_nothing(cartpole: RunFolder) -> None:
    hall = Hall()
    projector = Projector(cartpole, 0, post=hall.post, audience=hall.audience)
    projector.close()
    assert projector.join(60)
    projector.close()
    assert (hall.opened, hall.said) == ([], [])


def test_what_cannot_be_opened_is_a_sentence(cartpole: RunFolder, tmp_path: Path) -> None:
    hall = Hall()
    projector = Projector(cartpole, 77, post=hall.post, audience=hall.audience)
    assert projector.join(60)
    nowhere = Projector(RunFolder(tmp_path / "none"), 0, post=hall.post, audience=hall.audience)
    assert nowhere.join(60)
    assert len(hall.said) == 2
    assert "77" in hall.said[0]


def test_a_frame_that_does_not_exist_is_a_problem_and_the_show_goes_on(cartpole: RunFolder) -> None:
    hall = Hall()
    projector = Projector(cartpole, 0, post=hall.post, audience=hall.audience)
    try:
        until(lambda: hall.opened, timeout_secs=60)
        projector.seek(10_000)
        until(lambda: hall.said, timeout_secs=60)
        projector.seek(2)
        until(lambda: hall.frames, timeout_secs=60)
        assert "not 10000" in hall.said[0]
    finally:
        projector.close()
        assert projector.join(30)
