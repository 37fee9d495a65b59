"""The bench of the store measures everything it says, on a small run."""

from __future__ import annotations

from bench.store import measure


def test_a_small_run_gives_every_figure() -> None:
    found = measure(steps=1500)
    for policy in ("random", "balancing"):
        assert found[f"{policy}_episodes"] > 0
        for name in (
            "decode_events_per_sec",
            "ingest_events_per_sec",
            "bytes_per_step",
            "sealed_bytes_per_step",
            "episode_columns_micros",
            "episode_rows_micros",
            "return_curve_millis",
            "rebuild_events_per_sec",
        ):
            assert found[f"{policy}_{name}"] > 0
