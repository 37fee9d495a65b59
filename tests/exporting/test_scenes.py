"""Scenes of a replayed episode as frames and files, and what is shown where nobody chose."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from xml.etree import ElementTree

import pytest

from mosaic import replay
from mosaic.errors import ReplayError, UsageError
from mosaic.exporting.scenes import painted, scenes_of, view_of, write_svg
from mosaic.replay.player import Player
from tests.render.shown import ALL, MOVES
from tests.replay.recorded import LOOP, record


def episode(*, frames: bool, scene: bool) -> Player:
    return cast("Player", SimpleNamespace(has_frames=frames, has_scene=scene, env_name="Pong-v9"))


@pytest.mark.parametrize(
    ("frames", "scene", "asked", "shown"),
    [
        (True, True, None, "frame"),
        (False, True, None, "scene"),
        (False, False, None, "frame"),
        (True, True, "scene", "scene"),
        (True, True, "text", "scene"),
        (True, True, "frame", "frame"),
    ],
)
def test_frames_come_first_and_scenes_where_only_those_can_be_had(
    frames: bool, scene: bool, asked: str | None, shown: str
) -> None:
    assert view_of(episode(frames=frames, scene=scene), asked) == shown


@pytest.mark.parametrize("asked", ["scene", "text"])
def test_a_scene_that_is_not_there_is_refused_with_a_way_out(asked: str) -> None:
    with pytest.raises(ReplayError, match=r"no scene of Pong-v9\. Ask for frames instead"):
        view_of(episode(frames=True, scene=False), asked)


def test_scenes_of_a_real_episode_become_frames_with_their_steps(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    run = record(home, LOOP.format(imports="", make='"CliffWalking-v1"', seed=1, episodes=1, steps=5))
    with replay.open(run, 0) as player:
        frames = list(painted(scenes_of(player, range(1, 4))))
        assert [frame.step for frame in frames] == [1, 2, 3]
        assert frames[0].array().shape == (4 * 52, 12 * 52, 3)
    run = record(home, LOOP.format(imports="", make='"CartPole-v1"', seed=1, episodes=1, steps=5))
    with replay.open(run, 0) as player, pytest.raises(ReplayError, match="step 2 of episode 0 has no scene"):
        list(scenes_of(player, [2]))


def test_svg_files_are_named_by_their_step_and_a_single_one_as_asked(tmp_path: Path) -> None:
    assert write_svg([(3, ALL), (4, MOVES)], tmp_path / "a" / "b", one=False) == 2
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == [
        "step-000003.svg",
        "step-000004.svg",
    ]
    assert write_svg([(3, ALL)], tmp_path / "new" / "board.svg", one=True) == 1
    assert ElementTree.parse(tmp_path / "new" / "board.svg").getroot().tag.endswith("svg")


def test_without_pillow_it_says_what_to_install_and_that_svg_needs_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "mosaic.exporting.raster", raising=False)
    monkeypatch.setitem(sys.modules, "PIL", cast("Any", None))
    with pytest.raises(
        UsageError, match=r"needs Pillow.*mosaic-workbench\[video\].*SVG files and --view text need nothing"
    ):
        next(painted([(0, ALL)]))
