"""Colours of runs: stable, different for runs shown together, readable."""

from __future__ import annotations

from mosaic.ui.shell.model.colours import DARK, LIGHT, Colours
from mosaic.ui.shell.model.selection import Selection
from tests.ui.rows import run_id


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_a_run_has_the_same_colour_in_every_session() -> None:
    assert Colours(Selection()).of(run_id(7)) == Colours(Selection()).of(run_id(7))


def test_no_two_runs_shown_together_share_a_colour() -> None:
    selection = Selection()
    colours = Colours(selection)
    ids = [run_id(number) for number in range(40)]
    for many in (5, 12, 40, 3):
        selection.choose(ids[:many])
        shown = [colours.of(one) for one in ids[:many]]
        assert len(set(shown)) == many
    colours.set_dark(True)
    assert len({colours.of(one) for one in ids[:3]}) == 3


def test_runs_that_were_alike_while_apart_differ_once_they_are_chosen_together() -> None:
    selection = Selection()
    colours = Colours(selection)
    ids = [run_id(number) for number in range(20)]
    assert len({colours.of(one) for one in ids}) < 20, "apart, each has its favourite"
    selection.choose(ids)
    assert len({colours.of(one) for one in ids}) == 20


def test_who_was_shown_first_keeps_its_colour() -> None:
    selection = Selection()
    colours = Colours(selection)
    selection.choose([run_id(1)])
    first = colours.of(run_id(1))
    selection.choose([run_id(number) for number in range(1, 11)])
    assert colours.of(run_id(1)) == first


def test_every_colour_can_be_read_on_its_ground() -> None:
    colours = Colours(Selection())
    assert all(contrast(colour, "#ffffff") >= 4.5 for colour in LIGHT)
    assert all(contrast(colour, "#1e1f22") >= 4.5 for colour in DARK)
    assert all(contrast(colours.at(place), "#ffffff") >= 3 for place in range(8, 60))
    colours.set_dark(True)
    assert all(contrast(colours.at(place), "#1e1f22") >= 3 for place in range(8, 60))


def test_what_is_remembered_of_runs_not_shown_is_bounded() -> None:
    colours = Colours(Selection(), keep=5)
    for number in range(100):
        colours.of(run_id(number))
    assert len(colours._slots) == 5
