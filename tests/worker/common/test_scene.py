"""A scene: its bounds, its JSON, and what it refuses to be."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_worker.common import scene as module
from mosaic_worker.common.scene import (
    MOST_BYTES,
    MOST_HOT,
    MOST_ITEMS,
    MOST_LETTERS,
    MOST_SAID,
    MOST_SIDE,
    Disc,
    Hot,
    Image,
    Item,
    Line,
    Rect,
    Scene,
    SceneError,
    Text,
    decode,
    encode,
    printable,
)

_at = st.floats(-MOST_SIDE, 2 * MOST_SIDE) | st.integers(-MOST_SIDE, 2 * MOST_SIDE)
_size = st.floats(0, MOST_SIDE)
_alpha = st.floats(0, 1)
_role = st.sampled_from(["", "ink", "piece.white", "thing.red"])
_words = st.text(max_size=20).map(printable)
_items: st.SearchStrategy[Item] = st.one_of(
    st.builds(Rect, _at, _at, _size, _size, _role, _role, _size, _size, _alpha),
    st.builds(Disc, _at, _at, _size, _role, _role, _size, _alpha),
    st.builds(Line, _at, _at, _at, _at, _role, _size, _alpha),
    st.builds(Text, _at, _at, _size, _words, _role, st.booleans(), _alpha),
    st.builds(Image, _at, _at, _size, _words, _role, _role, st.integers(0, 3), _alpha),
)
_box = st.tuples(_at, _at, _size, _size)
_hot = st.builds(
    Hot, _at, _at, _size, _size, st.integers(0, 2**31 - 1) | st.none(), _words, st.just("why"),
    _box | st.none(), _words, _items | st.none(),
)  # fmt: skip
scenes = st.builds(
    Scene,
    st.floats(0.1, MOST_SIDE),
    st.integers(1, MOST_SIDE),
    st.lists(_items, max_size=8).map(tuple),
    st.lists(_hot, max_size=8).map(tuple),
    _words,
    st.lists(_words, max_size=4).map(tuple),
    _words,
)


@settings(deadline=None)
@given(scenes)
def test_a_scene_is_the_same_after_its_json(scene: Scene) -> None:
    assert decode(encode(scene)) == scene


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e9, -1e9, 10**400, True, "3", None, [1]])
@pytest.mark.parametrize("kind", ["r", "d", "l", "t", "i"])
def test_a_number_that_is_none_is_refused_wherever_it_stands(kind: str, bad: Any) -> None:
    made: dict[str, list[Any]] = {
        "r": [1, 1, 1, 1, "ink", "ink", 1, 0, 1],
        "d": [1, 1, 1, "ink", "ink", 1, 1],
        "l": [1, 1, 1, 1, "ink", 1, 1],
        "t": [1, 1, 1, "a", "ink", False, 1],
        "i": [1, 1, 1, "king", "ink", "ink", 0, 1],
    }
    good = made[kind]
    decode(json.dumps({"v": 1, "w": 1, "h": 1, "items": [[kind, *good]]}).encode())
    for field, value in enumerate(good):
        if isinstance(value, (str, bool)):
            continue
        broken = [*good[:field], bad, *good[field + 1 :]]
        with pytest.raises(SceneError):
            decode(json.dumps({"v": 1, "w": 1, "h": 1, "items": [[kind, *broken]]}).encode())


@pytest.mark.parametrize("side", [0, -1, MOST_SIDE + 1, math.nan, math.inf, None, "8"])
def test_a_side_is_a_number_of_cells_within_bounds(side: Any) -> None:
    with pytest.raises(SceneError):
        Scene(side, 1)
    with pytest.raises(SceneError):
        Scene(1, side)


@pytest.mark.parametrize(
    "more",
    [
        {"items": (Rect(0, 0, 1, 1),) * (MOST_ITEMS + 1)},
        {"hot": (Hot(0, 0, 1, 1, 0),) * (MOST_HOT + 1)},
        {"text": ("",) * (2 * MOST_SIDE + 1)},
        {"says": "a" * (MOST_SAID + 1)},
        {"turn": "a" * (MOST_LETTERS + 1)},
        {"items": [Rect(0, 0, 1, 1)]},
        {"items": ((0, 0, 1, 1),)},
        {"hot": ((0, 0, 1, 1, 0),)},
        {"items": (Text(0, 0, 1, "a" * (MOST_LETTERS + 1)),)},
        {"items": (Text(0, 0, 1, "a", bold=1),)},  # type: ignore[arg-type]
        {"items": (Image(0, 0, 1, "king", turn=4),)},
    ],
)
def test_beyond_the_bounds_there_is_no_scene(more: dict[str, Any]) -> None:
    with pytest.raises(SceneError):
        Scene(1, 1, **more)


@pytest.mark.parametrize(
    "role", ["#ff0000", "none", "red;}", "Piece.White", "a" * 33, 'x"', "url(#a)", "a..b", "a\n"]
)
def test_a_colour_is_a_role_and_nothing_a_painter_could_mistake(role: str) -> None:
    if role == "none":  # a role like another, which no theme has
        Scene(1, 1, (Rect(0, 0, 1, 1, role),))
        return
    with pytest.raises(SceneError, match="role"):
        Scene(1, 1, (Rect(0, 0, 1, 1, role),))


@pytest.mark.parametrize("text", ["\x1b[31m", "a\nb", "\x00", "\u202eabc", "\ud800", "\ufffe", "\u200b"])
def test_what_is_not_printable_is_refused_in_every_text(text: str) -> None:
    tried: tuple[Callable[[], Scene], ...] = (
        lambda: Scene(1, 1, says=text),
        lambda: Scene(1, 1, turn=text),
        lambda: Scene(1, 1, text=(text,)),
        lambda: Scene(1, 1, (Text(0, 0, 1, text),)),
        lambda: Scene(1, 1, (Image(0, 0, 1, text),)),
        lambda: Scene(1, 1, hot=(Hot(0, 0, 1, 1, 0, text),)),
        lambda: Scene(1, 1, hot=(Hot(0, 0, 1, 1, why=text),)),
        lambda: Scene(1, 1, hot=(Hot(0, 0, 1, 1, 0, choice=text),)),
    )
    for made in tried:
        with pytest.raises(SceneError):
            made()
    assert printable(text).isprintable()


@pytest.mark.parametrize(
    "hot",
    [
        Hot(0, 0, 1, 1),
        Hot(0, 0, 1, 1, -1),
        Hot(0, 0, 1, 1, True),
        Hot(0, 0, 1, 1, 2**31),
        Hot(0, 0, 1, 1, 1.0),  # type: ignore[arg-type]
        Hot(math.nan, 0, 1, 1, 1),
        Hot(0, 0, -1, 1, 1),
        Hot(0, 0, 1, 1, 1, to=(0, 0, 1)),  # type: ignore[arg-type]
        Hot(0, 0, 1, 1, 1, to=(0, 0, math.inf, 1)),
        Hot(0, 0, 1, 1, 1, mark=Disc(0, 0, math.nan)),
        Hot(0, 0, 1, 1, 1, mark="disc"),  # type: ignore[arg-type]
    ],
)
def test_a_hot_area_has_an_action_or_a_reason_within_bounds(hot: Hot) -> None:
    with pytest.raises(SceneError):
        Scene(1, 1, hot=(hot,))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b"nonsense",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"v":2,"w":1,"h":1}',
        b'{"v":1,"w":1}',
        b'{"v":1,"w":NaN,"h":1}',
        b'{"v":1,"w":1,"h":1e999}',
        b'{"v":1,"w":1,"h":1,"items":{}}',
        b'{"v":1,"w":1,"h":1,"items":[[]]}',
        b'{"v":1,"w":1,"h":1,"items":[["x",1]]}',
        b'{"v":1,"w":1,"h":1,"items":[["r",1]]}',
        b'{"v":1,"w":1,"h":1,"items":[["d",1,1,1,"ink","ink",1,1,1,1]]}',
        b'{"v":1,"w":1,"h":1,"items":[[["r"],1]]}',
        b'{"v":1,"w":1,"h":1,"hot":[7]}',
        b'{"v":1,"w":1,"h":1,"hot":[[0,0,1,1,0,"","",7]]}',
        b'{"v":1,"w":1,"h":1,"hot":[[0,0,1,1,0,"","",null,"",7]]}',
        b'{"v":1,"w":1,"h":1,"says":7}',
        b'{"v":1,"w":1,"h":1,"text":[7]}',
        b'{"v":1,"w":1,"h":1,"items":[["r",0,0,1,1,["ink"]]]}',
        b" " * (MOST_BYTES + 1),
    ],
)
def test_bytes_that_are_no_scene_are_refused_with_a_sentence(data: bytes) -> None:
    with pytest.raises(SceneError, match=r"\w+ \w+"):
        decode(data)


def test_what_is_as_by_default_is_not_written() -> None:
    data = encode(Scene(3, 3, (Rect(0, 0, 1, 1, "ink"),), (Hot(0, 0, 1, 1, 4),)))
    assert json.loads(data) == {
        "v": 1,
        "w": 3,
        "h": 3,
        "items": [["r", 0, 0, 1, 1, "ink"]],
        "hot": [[0, 0, 1, 1, 4]],
    }


def test_a_text_is_made_printable_and_cut_to_its_bound() -> None:
    assert printable("a\tb\x1b[1m") == "a b [1m"
    assert printable("a" * 300, 10) == "a" * 9 + "…"
    assert printable(7) == "7"


def test_roles_seen_before_are_remembered_within_a_bound() -> None:
    assert module._role.cache_info().maxsize == 256
