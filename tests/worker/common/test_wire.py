from __future__ import annotations

import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic_worker.common import wire


@given(st.dictionaries(st.text(), st.integers()), st.binary(), st.integers(1, 40))
def test_a_message_comes_back_whole_however_it_is_cut(header: dict[str, int], body: bytes, size: int) -> None:
    data = wire.encode(header, body) * 2
    buffer, found = bytearray(), []
    for start in range(0, len(data), size):
        buffer += data[start : start + size]
        while (message := wire.take(buffer)) is not None:
            found.append(message)
    assert found == [(header, body)] * 2
    assert wire.read(io.BytesIO(data)) == (header, body)


def test_the_end_of_a_file_is_no_message() -> None:
    assert wire.read(io.BytesIO(b"")) is None
    assert wire.read(io.BytesIO(wire.encode({"a": 1}, b"xyz")[:-1])) is None


@pytest.mark.parametrize(
    "data",
    [struct.pack(">II", 1 << 31, 0), struct.pack(">II", 2, 0) + b"[]", struct.pack(">II", 2, 0) + b"{x"],
)
def test_what_no_honest_peer_sends_is_refused(data: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.take(bytearray(data))
