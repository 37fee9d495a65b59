"""What every training is asked, and what only some runners are."""

from __future__ import annotations

import pytest

from mosaic.errors import UsageError
from mosaic.protocol.cards import Algorithm, Capabilities, RunnerCard
from mosaic.runners.parameters import convert
from mosaic.ui.launch.model.basics import (
    basics_form,
    parse_env_arguments,
    parse_name,
    parse_seeds,
    parse_tags,
    parse_words,
)
from mosaic.ui.launch.model.form import Form

ALGORITHM = Algorithm(id="a", default_env="Taxi-v4", default_steps=77)


def form(*, needs_env: bool = True, **can: bool) -> Form:
    capabilities = Capabilities(**can)  # type: ignore[arg-type]
    card = RunnerCard(id="r", title="R", capabilities=capabilities, needs_env=needs_env)
    return basics_form(card, ALGORITHM, convert=convert)


def test_what_a_card_does_not_promise_is_not_offered() -> None:
    assert set(form().names) == {
        *("env_id", "env_arguments", "steps", "seeds", "name", "tags", "arguments"),
    }
    assert "env_id" not in form(needs_env=False)
    assert "envs" in form(supports_vector=True)
    assert "init" in form(supports_warmstart=True)
    assert "resume" in form(supports_resume=True)


def test_environment_and_steps_start_as_the_algorithm_suggests() -> None:
    assert (form().value("env_id"), form().value("steps")) == ("Taxi-v4", 77)


@pytest.mark.parametrize(("text", "seeds"), [("", []), ("3", [3]), ("1-3", [1, 2, 3]), ("1, 7-8", [1, 7, 8])])
def test_seeds_are_read_as_people_write_them(text: str, seeds: list[int]) -> None:
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize("text", ["x", "3-1", "1,1", "1-500", "-4"])
def test_what_is_no_seeds_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_seeds(text)


def test_every_field_says_what_is_wrong_with_it() -> None:
    made = form()
    for name, text in (
        ("env_id", " "),
        ("steps", "0"),
        ("seeds", "x"),
        ("tags", "novalue"),
        ("arguments", "'open"),
    ):
        made.set(name, text)
        assert made.problem(name)
    made.set("name", "last")
    assert "newest" in made.problem("name")


def test_arguments_of_an_environment_are_parsed_and_what_is_none_is_refused() -> None:
    assert parse_env_arguments("is_slippery=false map='a b'") == {"is_slippery": "false", "map": "a b"}
    assert parse_env_arguments("") == {}
    for wrong in ("slippery", "=x", "a-b=1"):
        with pytest.raises(UsageError, match="write key=value"):
            parse_env_arguments(wrong)


def test_tags_words_and_names_are_parsed() -> None:
    assert parse_tags("a=1, b = two ,") == {"a": "1", "b": "two"}
    assert parse_words("--x 'a b'") == ["--x", "a b"]
    assert parse_name(" mine ") == "mine"
    with pytest.raises(UsageError, match="printable"):
        parse_name("a\nb")
