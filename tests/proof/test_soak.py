"""A sample of a proof is some of it, the same each time; a soak is all of it."""

from __future__ import annotations

import pytest

from tests.proof.soak import sampled


def test_a_sample_is_drawn_by_its_seed_and_a_soak_leaves_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = list(range(100))
    drawn = {}
    for seed in ("1", "2"):
        monkeypatch.setenv("MOSAIC_PROOF_SEED", seed)
        drawn[seed] = sampled(whole, 5, soak=False)
        assert drawn[seed] == sampled(whole, 5, soak=False) == sorted(set(drawn[seed]))
        assert len(drawn[seed]) == 5
    assert drawn["1"] != drawn["2"]
    assert sampled(whole, 5, soak=True) == whole
    assert sampled(whole, 200, soak=False) == whole
