"""SBX: Stable-Baselines3's algorithms in JAX. The same interface; only the weights lie elsewhere."""

from __future__ import annotations

from typing import IO, Any

from mosaic_worker.drivers import _sb3, _words
from mosaic_worker.drivers._sb3_family import Family
from mosaic_worker.drivers._stopping import leave

__all__ = ["FAMILY"]


def _take_weights(model: Any, kind: Any, file: IO[bytes]) -> None:
    """Copy the parameters of each network state; the optimisers' states stay new."""
    source = kind.load(file, device="cpu")
    for name, state in vars(source.policy).items():
        own = getattr(model.policy, name, None)
        if not hasattr(state, "opt_state") or own is None:
            continue
        fields = ("params", "target_params", "batch_stats", "target_batch_stats")
        held = {field: getattr(state, field) for field in fields if hasattr(state, field)}
        setattr(model.policy, name, own.replace(**held))


FAMILY = Family(
    runner="sbx",
    classes={name.lower(): ("sbx", name) for name in ("PPO", "DQN", "SAC", "TD3", "DDPG", "TQC", "CrossQ")},
    take_weights=_take_weights,
)

if __name__ == "__main__":
    leave(_words.main(lambda words: _sb3.work(words, FAMILY)))
