"""A file appears whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from mosaic.exporting.whole import appearing


def test_the_target_is_there_only_when_all_was_written(tmp_path: Path) -> None:
    target = tmp_path / "new" / "out.csv"
    with appearing(target) as temporary:
        temporary.write_text("half")
        assert not target.exists()
    assert target.read_text() == "half"
    assert list(target.parent.iterdir()) == [target]


def test_a_failure_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("before")

    def write() -> None:
        with appearing(target) as temporary:
            temporary.write_text("half")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        write()
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]
