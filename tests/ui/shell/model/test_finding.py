"""Finding by a few letters."""

from __future__ import annotations

from mosaic.ui.shell.model.finding import best, score

THINGS = ["Stop…", "Show Replay", "Replay", "Rename", "Run: stop-watch", "Theme: dark", "Put all docks back"]


def found(typed: str) -> list[str]:
    return best(typed, THINGS, text=str)


def test_nothing_typed_is_everything_in_order() -> None:
    assert found("") == THINGS


def test_letters_have_to_be_there_in_order() -> None:
    assert score("zz", "Replay") is None
    assert score("yr", "Replay") is None
    assert "Replay" in found("rpl")


def test_what_starts_with_it_comes_before_what_merely_holds_it() -> None:
    assert found("replay") == ["Replay", "Show Replay"]
    assert found("stop")[0] == "Stop…"


def test_first_letters_of_words_find_it() -> None:
    assert found("td")[0] == "Theme: dark"
    assert found("padb") == ["Put all docks back"]
    assert found("theme dark") == ["Theme: dark"]
