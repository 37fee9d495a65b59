"""Event files, read back by TensorBoard itself."""

from __future__ import annotations

import math
import struct

import pytest
from tensorboard.compat.proto import event_pb2

from mosaic.exporting.tensorboard import masked_crc32c, scalar_event


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
