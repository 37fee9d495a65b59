"""What was played is counted in the order in which it ended."""

from __future__ import annotations

from mosaic_worker.session.played import Episode, Played


def test_episodes_are_counted_in_the_order_they_ended_and_each_is_told_once() -> None:
    heard: list[Episode] = []
    played = Played(heard.append)
    assert (played.returns, played.lengths, played.ticks) == ([], [], 0)
    first, second = Episode("b", 2.5, 7), Episode("a", -1.0, 3, info={"won": True})
    played.add(first)
    played.add(second)
    assert played.episodes == heard == [first, second]
    assert (played.returns, played.lengths) == ([2.5, -1.0], [7, 3])
    assert (first.info, second.info) == (None, {"won": True})


def test_nobody_has_to_listen() -> None:
    played = Played()
    played.add(Episode("", 1.0, 1))
    assert played.returns == [1.0]
