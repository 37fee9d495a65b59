"""Checkpoints are written whole, listed after that, and pruned by rule."""

from __future__ import annotations

import hashlib
from typing import IO, TYPE_CHECKING, Any

import pytest

import mosaic_worker
from mosaic.protocol.codec import decode_lines
from mosaic.protocol.events import Checkpoint
from mosaic_worker.drivers.kit.saving import Saver, write_whole
from mosaic_worker.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    monkeypatch.setenv("MOSAIC_RUN_DIR", str(tmp_path))
    found = Recorder(str(tmp_path))
    monkeypatch.setattr(mosaic_worker, "_current", found)
    yield found
    found.close()


def listed(tmp_path: Path) -> list[Checkpoint]:
    (segment,) = (tmp_path / "journal").iterdir()
    return [event for event in decode_lines(segment.read_bytes()) if isinstance(event, Checkpoint)]


def content(text: bytes) -> Any:
    return lambda file: file.write(text)


def test_a_checkpoint_is_listed_by_its_place_in_the_run_with_hash_and_reason(
    tmp_path: Path, recorder: Recorder
) -> None:
    saver = Saver(suffix=".bin", kind="tabular", about={"runner": "tabular"}, keep_last=2)
    saver.save(content(b"table"), step=7, reason="final", metrics={"return_mean": 1.0})
    recorder.close()
    (found,) = listed(tmp_path)
    assert found.path == "checkpoints/final-000000007.bin"
    assert (found.sha256, found.bytes) == (hashlib.sha256(b"table").hexdigest(), 5)
    assert (found.step, found.kind) == (7, "tabular")
    assert found.meta == {
        "runner": "tabular",
        "keep_last": 2,
        "reason": "final",
        "metrics": {"return_mean": 1.0},
    }
    assert (tmp_path / found.path).stat().st_mode & 0o777 == 0o600


def test_old_ones_on_cadence_go_and_every_save_has_a_name_of_its_own(
    tmp_path: Path, recorder: Recorder
) -> None:
    saver = Saver(suffix=".bin", kind="tabular", about={}, keep_last=2)
    for step in (1, 2, 3, 4):
        saver.save(content(b"%d" % step), step=step, reason="cadence")
        saver.save(content(b"%d" % step), step=step, reason="best")
    saver.save(content(b"4"), step=4, reason="best")
    recorder.close()
    kept = sorted(path.name for path in (tmp_path / "checkpoints").iterdir())
    assert kept == ["best-000000004-2.bin", "step-000000003.bin", "step-000000004.bin"]
    assert len(listed(tmp_path)) == 9


def test_a_save_that_fails_leaves_nothing_and_lists_nothing(tmp_path: Path, recorder: Recorder) -> None:
    saver = Saver(suffix=".bin", kind="tabular", about={})
    saver.save(content(b"good"), step=1, reason="cadence")

    def fail(file: IO[bytes]) -> None:
        file.write(b"half of it")
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        saver.save(fail, step=2, reason="cadence")
    recorder.close()
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["step-000000001.bin"]
    assert [row.step for row in listed(tmp_path)] == [1]


def test_the_name_appears_only_when_all_of_it_is_written(tmp_path: Path) -> None:
    target = tmp_path / "whole"

    def write(file: IO[bytes]) -> None:
        file.write(b"first")
        file.flush()
        assert not target.exists()
        file.write(b" second")

    write_whole(str(target), write)
    assert target.read_bytes() == b"first second"
    assert list(tmp_path.iterdir()) == [target]
