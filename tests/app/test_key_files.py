"""A person's own keys: kept per environment, refused when they mean what cannot be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from mosaic.app import key_files
from mosaic.errors import UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.hands import Binding, KeyMap

FOUR = {"kind": "Discrete", "text": "Discrete(4)", "n": 4, "start": 0}
KEYS = KeyMap(bindings=[Binding(keys=["W"], action=3, name="up")], rest=1, source="table")


def test_keys_come_back_as_they_were_kept_and_are_yours(home: Path) -> None:
    root = DataRoot(home)
    assert key_files.load(root, "ALE/Pong-v5") is None
    key_files.save(root, "ALE/Pong-v5", KEYS, space=FOUR)
    assert (root.path / "keys" / "ALE__Pong-v5.json").is_file()
    found = key_files.load(root, "ALE/Pong-v5")
    assert found == KeyMap(bindings=KEYS.bindings, rest=1, source="yours")
    key_files.forget(root, "ALE/Pong-v5")
    key_files.forget(root, "ALE/Pong-v5")
    assert key_files.load(root, "ALE/Pong-v5") is None


def test_an_unknown_action_is_refused_and_nothing_is_written(home: Path) -> None:
    root = DataRoot(home)
    wrong = KeyMap(bindings=[Binding(keys=["W"], action=9)])
    with pytest.raises(UsageError, match="W: 9 is not an action: 0 to 3 are"):
        key_files.save(root, "FrozenLake-v1", wrong, space=FOUR)
    assert not key_files.file_of(root, "FrozenLake-v1").exists()


def test_a_damaged_file_is_named(home: Path) -> None:
    root = DataRoot(home)
    key_files.save(root, "FrozenLake-v1", KEYS, space=FOUR)
    key_files.file_of(root, "FrozenLake-v1").write_text('{"bindings": 7}')
    with pytest.raises(UsageError, match=r"FrozenLake-v1\.json is not a key map"):
        key_files.load(root, "FrozenLake-v1")
