"""A generated form: texts as typed, problems told at once, defaults known."""

from __future__ import annotations

import pytest

from mosaic.errors import UsageError
from mosaic.protocol.cards import Parameter
from mosaic.runners.parameters import convert
from mosaic.ui.launch.model.form import Form, hint_of, text_of

PARAMETERS = [
    Parameter(name="rate", type="float", default=0.001, minimum=0, exclusive_minimum=True, help="How far."),
    Parameter(name="layers", type="int", default=2, minimum=1, maximum=8, group="Net"),
    Parameter(name="norm", type="bool", default=True, group="Net", advanced=True),
    Parameter(name="clip", type="float", optional=True, advanced=True),
    Parameter(name="act", type="choice", default="relu", choices=["relu", "tanh"], group="Net"),
]


def form() -> Form:
    return Form(PARAMETERS, convert=convert, labels={"act": "Activation"})


def test_fields_start_at_their_defaults_and_none_differs() -> None:
    made = form()
    assert [made.text(name) for name in made.names] == ["0.001", "2", "true", "none", "relu"]
    assert made.differing == {}
    assert made.values() == {}
    assert made.problems == {}


def test_a_number_in_scientific_notation_is_taken_and_the_same_value_does_not_differ() -> None:
    made = form()
    made.set("rate", "1e-3")
    assert not made.is_changed("rate")
    made.set("rate", "3e-4")
    assert made.values() == {"rate": 3e-4}


def test_a_value_out_of_bounds_says_why_and_gives_no_value() -> None:
    made = form()
    made.set("layers", "9")
    assert "<= 8" in made.problem("layers")
    assert made.is_changed("layers")
    with pytest.raises(UsageError):
        made.values()


def test_a_change_is_told_once_and_resetting_tells_it_too() -> None:
    made = form()
    told: list[str] = []
    made.changed.connect(told.append)
    made.set("layers", "3")
    made.set("layers", "3")
    made.reset("layers")
    assert told == ["layers", "layers"]
    made.set("act", "tanh")
    made.set("clip", "0.5")
    made.reset_all()
    assert made.differing == {}


def test_groups_come_in_order_with_their_advanced_fields_apart() -> None:
    assert [(group.title, group.plain, group.advanced) for group in form().groups] == [
        ("General", ("rate",), ("clip",)),
        ("Net", ("layers", "act"), ("norm",)),
    ]


def test_what_was_typed_another_time_comes_back_and_unknown_fields_are_passed_over() -> None:
    made = form()
    made.set("clip", "0.5")
    made.restore({"layers": "many", "gone": "1"})
    assert made.text("layers") == "many"
    assert made.text("clip") == "none"
    assert "gone" not in made


def test_a_hint_says_help_bounds_and_default() -> None:
    assert hint_of(PARAMETERS[0]) == "How far.\nA number > 0. Default: 0.001."
    assert hint_of(PARAMETERS[3]).endswith("or none. Default: none.")
    assert "relu, tanh" in hint_of(PARAMETERS[4])


def test_a_field_has_the_label_it_was_given() -> None:
    assert form().field("act").label == "Activation"
    assert form().field("rate").label == "rate"


@pytest.mark.parametrize(
    ("value", "text"), [(None, "none"), (True, "true"), (1e-08, "1e-08"), (3, "3"), ("", "")]
)
def test_a_value_is_written_as_it_is_typed(value: object, text: str) -> None:
    assert text_of(value) == text
