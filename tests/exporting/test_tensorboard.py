"""Event files, read back by TensorBoard itself."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import pytest
from tensorboard.compat.proto import event_pb2

from mosaic.exporting.tensorboard import masked_crc32c, scalar_event, write_tensorboard
from mosaic.paths import DataRoot
from mosaic.store.reader import StoreReader
from tests.ui.stored import Stored


def _unmasked(value: int) -> int:
    value = (value - 0xA282EAD8) & 0xFFFFFFFF
    return (value >> 17 | value << 15) & 0xFFFFFFFF


@pytest.mark.parametrize(("data", "crc"), [(b"123456789", 0xE3069283), (bytes(32), 0x8A9136AA), (b"", 0)])
def test_the_checksum_is_crc32c(data: bytes, crc: int) -> None:
    assert _unmasked(masked_crc32c(data)) == crc


def test_a_scalar_is_read_back_by_tensorboard() -> None:
    cases = [("a/b", 0.5, 3), ("ünï", -1e300, -7), ("big", math.nan, 1 << 70)]
    for tag, value, step in cases:
        record = scalar_event(tag, value, step=step, t=12.25)
        (length,) = struct.unpack("<Q", record[:8])
        assert len(record) == 16 + length
        event = event_pb2.Event.FromString(record[12:-4])
        (scalar,) = event.summary.value
        assert (scalar.tag, event.wall_time) == (tag, 12.25)
        assert event.step == max(-(1 << 63), min((1 << 63) - 1, step))
        read = scalar.simple_value
        assert math.isnan(read) if math.isnan(value) else read in (value, -math.inf)


def test_evaluation_beside_training_has_tags_of_its_own_and_what_was_cut_has_none(tmp_path: Path) -> None:
    run = Stored(DataRoot(tmp_path / "home"))
    run.episodes([1.0], role="train")
    run.episodes([50.0], role="eval")
    run.episodes([9.0], outcome="cut")
    run.commit()
    with StoreReader(run.folder) as reader:
        assert returns(write_tensorboard(reader, tmp_path / "out")) == [
            ("episode/return", 0, 1.0),
            ("eval_episode/return", 1, 50.0),
        ]


def test_a_run_that_only_evaluates_has_the_usual_tags(tmp_path: Path) -> None:
    run = Stored(DataRoot(tmp_path / "home"))
    run.episodes([50.0], role="eval")
    run.commit()
    with StoreReader(run.folder) as reader:
        assert returns(write_tensorboard(reader, tmp_path / "out")) == [("episode/return", 0, 50.0)]


def returns(path: Path) -> list[tuple[str, int, float]]:
    """Every scalar about returns: tag, step and value."""
    data, found = path.read_bytes(), []
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        event, data = event_pb2.Event.FromString(data[12 : 12 + length]), data[16 + length :]
        found += [(one.tag, event.step, one.simple_value) for one in event.summary.value]
    return [one for one in found if one[0].endswith("return")]
