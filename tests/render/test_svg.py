"""Scenes as SVG: well-formed, complete without other files, and harmless whatever a scene holds."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from mosaic.render.painting import Circle, Fit, Path, Rectangle, Stroke, Words, paint
from mosaic.render.svg import element, svg
from mosaic.render.themes import DARK, LIGHT
from mosaic_worker.common.scene import Scene, Text
from tests.render.shown import ALL
from tests.worker.common.test_scene import scenes

SPACE = "{http://www.w3.org/2000/svg}"
TAGS = {Rectangle: "rect", Circle: "circle", Stroke: "line", Path: "path", Words: "text"}


def test_there_is_an_element_for_each_command_in_their_order() -> None:
    root = ElementTree.fromstring(svg(ALL, cell=50, theme=DARK))
    commands = paint(ALL, Fit(0, 0, 50), DARK)
    assert [one.tag for one in root[2:]] == [SPACE + TAGS[type(command)] for command in commands]
    assert root.get("viewBox") == "0 0 200 100"
    for one, command in zip(root[2:], commands, strict=True):
        if not isinstance(command, Stroke):
            assert one.get("fill") == (command.fill or "none")


def test_it_says_what_it_shows() -> None:
    root = ElementTree.fromstring(svg(ALL))
    assert root.get("role") == "img"
    assert root.findtext(f"{SPACE}title") == "A scene <of> every kind"
    assert root.findtext(f"{SPACE}desc") == ALL.says


@pytest.mark.parametrize("text", ["</text><script>alert(1)</script>", "]]>", "&lt;", "<!--", '"onload="x'])
def test_a_text_is_only_ever_text(text: str) -> None:
    root = ElementTree.fromstring(svg(Scene(1, 1, (Text(0.5, 0.5, 1, text),), says=text)))
    assert [one.tag for one in root] == [f"{SPACE}title", f"{SPACE}desc", f"{SPACE}text"]
    assert root[2].text == text


@settings(deadline=None)
@given(scenes)
def test_every_scene_is_well_formed(scene: Scene) -> None:
    root = ElementTree.fromstring(svg(scene))
    assert {one.tag.removeprefix(SPACE) for one in root.iter()} <= {"svg", "title", "desc", *TAGS.values()}
    for one in root.iter():
        numbers = [one.get(name, "0") for name in ("x", "y", "cx", "cy", "r", "width", "height", "opacity")]
        assert all(math.isfinite(float(number)) for number in numbers)


def test_a_shape_is_closed_and_a_line_of_a_drawing_is_not() -> None:
    drawn = [element(command) for command in paint(ALL, Fit(0, 0, 50), LIGHT) if isinstance(command, Path)]
    knight = drawn[:-1]
    assert "Z" in knight[0]
    assert 'fill-rule="evenodd"' in knight[0]
    assert "Z" not in knight[-1]
    assert 'fill="none"' in knight[-1]


def test_nothing_is_loaded_from_elsewhere() -> None:
    whole = svg(ALL)
    assert whole.count("http") == 1  # the namespace
    for word in ("href", "url(", "style", "script"):
        assert word not in whole
