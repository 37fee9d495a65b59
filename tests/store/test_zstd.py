"""zstd: exact, and by many threads at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import zstandard

from mosaic.store.zstd import Zstd


def pieces(seed: int) -> list[bytes]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 16, 200_000, dtype=np.uint8).tobytes() for _ in range(10)]


@pytest.mark.parametrize("magicless", [False, True])
def test_threads_that_press_and_unpack_at_once_do_not_garble_each_other(*, magicless: bool) -> None:
    zstd = Zstd(level=1, magicless=magicless)

    def work(seed: int) -> bool:
        return all(
            zstd.decompress(zstd.compress(piece), max_output_size=len(piece)) == piece
            for piece in pieces(seed)
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


def test_what_is_no_piece_is_refused() -> None:
    with pytest.raises(zstandard.ZstdError):
        Zstd(level=1).decompress(b"no piece at all", max_output_size=100)
