"""docs/people.md: its commands are commands, its keys are keys, and every order and field is in it."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, get_args

import msgspec

from mosaic.app import key_files
from mosaic.cli.main import mosaic
from mosaic.paths import DataRoot
from mosaic.protocol.hands import Doing, Now, Offer, Order, SeatNow
from tests.docs.blocks import DOCS, commands, files

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENT = "people.md"
TEXT = (DOCS / DOCUMENT).read_text()


def test_every_command_of_the_document_is_one() -> None:
    found = commands(DOCUMENT)
    assert {shlex.split(line)[1] for line in found} >= {"play", "take", "deploy", "branch"}
    for line in found:
        program, name, *words = shlex.split(line)
        assert program == "mosaic"
        command = mosaic.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None, line
        command.make_context(name, list(words))


def test_the_keys_of_the_document_are_read(tmp_path: Path) -> None:
    root = DataRoot(tmp_path)
    [(name, text)] = files(DOCUMENT).items()
    path = key_files.file_of(root, "FrozenLake-v1")
    assert path.name == name
    path.parent.mkdir()
    path.write_text(text)
    found = key_files.load(root, "FrozenLake-v1")
    assert found is not None
    assert [binding.keys for binding in found.bindings] == [["H"], ["J"], ["L"], ["K"]]


def test_every_order_and_everything_that_is_told_is_in_the_document() -> None:
    table = TEXT[TEXT.index("| order |") :]
    for do in get_args(Doing):
        assert f"`{do}`" in table
    for struct in (Now, SeatNow, Offer):
        for field in struct.__struct_fields__:
            assert field in table, f"{struct.__name__}.{field}"


def test_the_orders_of_the_document_are_orders() -> None:
    lines = [line for line in TEXT.splitlines() if line.startswith('{"id"')]
    assert len(lines) == 2
    for line in lines:
        msgspec.convert(json.loads(line), Order)
