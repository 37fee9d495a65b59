from __future__ import annotations

from mosaic.replay.cache import Frame, FrameCache


def frame(step: int, size: int = 3) -> Frame:
    return Frame(step, size // 3, 1, bytes(size))


def test_the_frame_looked_at_longest_ago_goes_first() -> None:
    cache = FrameCache(limit_bytes=9)
    for step in (0, 1, 2):
        cache.put(frame(step))
    assert cache.get(0) is not None
    cache.put(frame(3))
    assert cache.get(1) is None
    assert [cache.get(step) is not None for step in (0, 2, 3)] == [True] * 3
    assert cache.bytes == 9


def test_one_frame_is_kept_whatever_its_size() -> None:
    cache = FrameCache(limit_bytes=1)
    cache.put(frame(0, 300))
    cache.put(frame(0, 300))
    assert cache.get(0) is not None
    assert cache.bytes == 300
    assert cache.room_for(300) == 1
