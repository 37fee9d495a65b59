from __future__ import annotations

from mosaic_worker.session.operator import seed_of


def test_seeds_differ_by_seat_and_by_seed_and_stay_what_they_are() -> None:
    seeds = [seed_of(seed, seat) for seed in range(20) for seat in range(1, 20)]
    assert len(set(seeds)) == len(seeds)
    assert [seed_of(5, seat) for seat in (0, 1, 2)] == [5, 2653144638, 120231812]


def test_nothing_is_seeded_without_a_seed() -> None:
    assert seed_of(None, 0) is None
    assert seed_of(None, 3) is None
