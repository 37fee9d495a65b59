"""The one table of a job's fields: both sides of the command line agree with it."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.protocol.cards import Capabilities, Job, RunnerCard
from mosaic.sdk.connection import Connection
from mosaic_worker.common.words import FIELDS, KINDS, Field, Refused, Words, asked, parse, write

NOT_TOLD = {"runner", "kind", "parameters", "arguments", "group", "session"}
"""Fields of a job that a driver is told in another way than by a flag, or not at all."""


def test_every_field_of_a_job_is_in_the_table_with_the_default_the_job_has() -> None:
    fields = {field.name: field for field in msgspec.structs.fields(Job)}
    assert {field.name for field in FIELDS} == fields.keys() - NOT_TOLD
    for field in FIELDS:
        assert fields[field.name].default == field.default, field.name


def test_what_a_driver_reads_are_the_flags_of_the_table() -> None:
    named = {field.flag[2:] for field in FIELDS}
    assert {*Words._fields} - {"kind", "parameters", "env_arguments"} == named
    assert all(field.flag == f"--{field.flag[2:]}" for field in FIELDS)


def _value(field: Field) -> st.SearchStrategy[Any]:
    if field.type is int:
        return st.integers(field.minimum or 0, 1 << 40)
    return st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1)


@given(st.data(), st.sampled_from(KINDS))
def test_whatever_a_job_says_its_driver_reads(data: st.DataObject, kind: Any) -> None:
    said = {field.name: data.draw(_value(field)) for field in FIELDS}
    found = parse(write(Job(runner="r", kind=kind, **said)))
    for field in FIELDS:
        expected = said[field.name] if kind in field.kinds else Words(kind)._asdict()[field.flag[2:]]
        assert getattr(found, field.flag[2:]) == expected


@pytest.mark.parametrize("field", [field for field in FIELDS if field.minimum is not None])
def test_a_number_below_its_bound_is_refused_with_its_flag(field: Field) -> None:
    least = field.minimum or 0
    with pytest.raises(Refused, match=f"{field.flag} must be at least {least}, got {least - 1}"):
        parse(["eval", field.flag, str(least - 1)])
    assert getattr(parse(["eval", field.flag, str(least)]), field.flag[2:]) == least


@pytest.mark.parametrize("word", ["--bogus=3", "-n=3", "--steps=3", "--bogus", "plain", "=3", ""])
def test_what_is_neither_a_flag_of_the_table_nor_a_parameter_is_refused(word: str) -> None:
    with pytest.raises(
        Refused, match=f"cannot read {word!r}: flags are --algo --env .*, parameters are key=v"
    ):
        parse(["eval", word])


def test_parameters_are_read_and_those_of_the_environment_kept_apart() -> None:
    found = parse(["eval", "lr=0.1", "env.map_name=4x4", "--seed", "3", "net=a=b"])
    assert (found.parameters, found.env_arguments, found.seed) == (
        {"lr": 0.1, "net": "a=b"},
        {"map_name": "4x4"},
        3,
    )


@pytest.mark.parametrize(
    "words", [[], ["dance"], ["--env", "E"], ["train"], ["eval", "--seed"], ["eval", "--seed", "x"]]
)
def test_a_word_that_is_missing_or_wrong_is_refused(words: list[str]) -> None:
    with pytest.raises(Refused):
        parse(words)


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ({}, None),
        ({"init": "i"}, "i"),
        ({"resume": "r"}, "r"),
        ({"resume": "r", "checkpoint": "c"}, "c"),
        ({"resume": "r", "checkpoint": "c", "init": "i"}, "c"),
        ({"init": "i", "checkpoint": "c"}, "i"),
        ({"checkpoint": "c"}, None),
    ],
)
def test_a_training_starts_from_what_it_resumes_or_else_from_what_it_is_given(
    said: dict[str, str], source: str | None
) -> None:
    assert Words("train", **said).source == source  # type: ignore[arg-type]


def test_what_people_may_fill_in_is_explained_to_them() -> None:
    for field in FIELDS:
        assert bool(field.help) == bool(field.asked), field.name
        assert bool(field.label) == ("form" in field.asked), field.name
        assert {*field.asked} <= {"train", "eval", "form"}


def test_what_the_form_asks_a_card_for_is_a_promise_cards_can_make() -> None:
    promises = {"", *Capabilities.__struct_fields__, *RunnerCard.__struct_fields__}
    assert {field.needs for field in FIELDS} <= promises


@pytest.mark.parametrize(("kind", "call"), [("train", Connection.train)])
def test_what_the_command_line_takes_python_takes_too(kind: str, call: Any) -> None:
    assert {field.name for field in asked(kind)} <= inspect.signature(call).parameters.keys()
