"""What an evaluation says."""

from __future__ import annotations

from mosaic_worker.drivers.kit.evaluating import Played, summary


def test_a_mean_never_comes_without_spread_and_number() -> None:
    assert summary([1.0, 2.0, 3.0]) == (
        "mean return 2.00 ± 1.00 (standard deviation, 3 episodes), from 1.00 to 3.00"
    )
    assert summary([2.0]) == "return 2.00 (1 episode)"


def test_episodes_are_counted_apart() -> None:
    played = Played()
    for reward in (1.0, 2.0):
        played.step(reward)
    played.end()
    played.step(-1.0)
    played.end()
    assert (played.returns, played.lengths) == ([3.0, -1.0], [2, 1])
