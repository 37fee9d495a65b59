from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING

import pytest

from mosaic.errors import UsageError
from mosaic.operators import own
from mosaic.operators.registry import GROUP

if TYPE_CHECKING:
    from pathlib import Path


def test_each_of_ours_is_named_by_its_entry_point() -> None:
    points = {point.name: point.load() for point in importlib.metadata.entry_points(group=GROUP)}
    for kind in (own.RANDOM, own.NOOP, own.ACTIONS, own.PYTHON, own.CMD, own.CHECKPOINT):
        assert points[kind.card.id] is kind
        assert kind.card.form
        assert kind.card.help
        assert kind.card.example.startswith("mosaic play ")


def test_a_plain_one_is_seated_by_its_name() -> None:
    seat = own.RANDOM.seat("", name="random", parameters={})
    assert (seat.kind, seat.name) == ("random", "random")
    with pytest.raises(UsageError, match="takes nothing after a colon"):
        own.NOOP.seat("x", name="noop:x", parameters={})


def test_a_file_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mind.py").write_text("")
    seat = own.PYTHON.seat("mind.py", name="python:mind.py", parameters={})
    assert (seat.kind, seat.name, seat.path) == ("python", "python:mind.py", str(tmp_path / "mind.py"))
    with pytest.raises(UsageError, match="there is no file"):
        own.ACTIONS.seat("no.json", name="actions:no.json", parameters={})
    with pytest.raises(UsageError, match=r"which file\? Write python:FILE.py"):
        own.PYTHON.seat("", name="python:", parameters={})


def test_a_program_is_found_and_its_words_are_split_as_a_shell_does() -> None:
    seat = own.CMD.seat("sh -c 'exit 3'", name="cmd:sh", parameters={})
    assert seat.kind == "cmd"
    assert seat.argv[0].endswith("/sh")
    assert seat.argv[1:] == ["-c", "exit 3"]
    for argument, said in (
        ("no-such-program x", "no program 'no-such-program'"),
        ("", "which program"),
        ("a 'b", "not a command line"),
    ):
        with pytest.raises(UsageError, match=said):
            own.CMD.seat(argument, name=f"cmd:{argument}", parameters={})


def test_a_checkpoint_is_named_itself() -> None:
    with pytest.raises(UsageError, match="name the checkpoint itself"):
        own.CHECKPOINT.seat("x", name="checkpoint:x", parameters={})


@pytest.mark.parametrize(
    ("held", "said"), [("[1, 2", "does not hold JSON"), ('{"no": "list"}', "must hold a JSON list")]
)
def test_a_list_of_actions_is_looked_at_before_anything_is_started(
    tmp_path: Path, held: str, said: str
) -> None:
    (tmp_path / "path.json").write_text(held)
    with pytest.raises(UsageError, match=said):
        own.ACTIONS.seat(str(tmp_path / "path.json"), name="actions:path.json", parameters={})
