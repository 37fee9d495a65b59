"""A key map being changed: texts in, a key map or a sentence out."""

from __future__ import annotations

from mosaic.protocol.hands import Binding
from mosaic.ui.play.model.key_editing import KeyEditing, meaning_of
from tests.ui.play.talking import FOUR, LAKE


def test_lines_that_are_not_touched_make_the_same_keys() -> None:
    editing = KeyEditing(LAKE, space=FOUR)
    assert editing.keys().bindings == LAKE.bindings
    assert editing.problem == ""


def test_a_line_is_changed_added_and_taken_away() -> None:
    editing = KeyEditing(LAKE, space=FOUR)
    editing.put(0, keys=("A",), name="west")
    editing.remove(3)
    editing.add()
    assert editing.problem == "A line without a key: '' is not an action. Write one as JSON, such as 2. " \
        "Known by name: left, down, right, leap."  # fmt: skip
    editing.put(3, keys=("W",), means="Leap")
    assert editing.problem == ""
    assert editing.keys().bindings[0] == Binding(keys=["A"], action=0, name="west")
    assert editing.keys().bindings[3] == Binding(keys=["W"], action=3, name="leap")


def test_an_unknown_action_is_a_sentence() -> None:
    editing = KeyEditing(LAKE, space=FOUR)
    editing.put(1, means="7")
    assert editing.problem == "Down: 7 is not an action: 0 to 3 are"
    editing.put(1, means="jump")
    assert "'jump' is not an action" in editing.problem


def test_axes_are_written_as_they_are_read() -> None:
    box = {"kind": "Box", "text": "Box", "shape": [2], "low": [-1, -1], "high": [1, 1]}
    binding = Binding(keys=["A"], axis=1, value=-0.5)
    assert meaning_of(binding) == "axis 1: -0.5"
    editing = KeyEditing(LAKE, space=box)
    editing.lines.clear()
    editing.add()
    editing.put(0, keys=("A",), means="axis 1: -0.5")
    assert editing.keys().bindings == [binding]
