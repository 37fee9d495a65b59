"""SBX: Stable-Baselines3's algorithms in JAX. The same interface; only the weights lie elsewhere."""

from __future__ import annotations

from typing import IO, Any

from mosaic_worker.drivers.kit import command
from mosaic_worker.drivers.kit.stopping import leave
from mosaic_worker.drivers.sb3_family import training
from mosaic_worker.drivers.sb3_family.family import Family

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
    leave(command.main(lambda words: training.work(words, FAMILY)))
