"""docs/scenes.md: its example is a scene, what it names exists, its bounds are those in force."""

from __future__ import annotations

import importlib
import re
from types import SimpleNamespace
from typing import Any

from mosaic.render import hit
from mosaic_worker.common import scene as bounds
from tests.docs.blocks import DOCS, files

TEXT = (DOCS / "scenes.md").read_text(encoding="utf-8")


def test_the_example_makes_a_scene_that_can_be_clicked() -> None:
    names: dict[str, Any] = {}
    exec(files("scenes.md")["mygrid/scene.py"], names)
    made = names["scene"](SimpleNamespace(width=5, height=4, position=(1, 2)), None, None)
    assert isinstance(made, bounds.Scene)
    (move,) = hit.press(made, 2.5, 2.5).moves
    assert move.label == "right"
    assert hit.press(made, 1.5, 2.5).why == "You are here."


def test_every_name_it_gives_exists() -> None:
    named = re.findall(r"`(mosaic(?:_worker)?(?:\.\w+)+)", TEXT)
    assert len(named) >= 6
    for name in named:
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_the_bounds_are_those_in_force() -> None:
    stated = f"{bounds.MOST_SIDE} cells a side, {bounds.MOST_ITEMS:,} items, {bounds.MOST_HOT:,} hot areas"
    flat = " ".join(TEXT.split())
    assert stated in flat
    assert f"{bounds.MOST_LETTERS} letters a text, {bounds.MOST_BYTES >> 20} MiB" in flat
