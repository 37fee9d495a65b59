"""Stable-Baselines3 and sb3-contrib."""

from __future__ import annotations

from typing import IO, Any

from mosaic_worker.drivers.kit import command
from mosaic_worker.drivers.kit.stopping import leave
from mosaic_worker.drivers.sb3_family import training
from mosaic_worker.drivers.sb3_family.family import Family

__all__ = ["FAMILY"]


def _take_weights(model: Any, _: Any, file: IO[bytes]) -> None:
    from stable_baselines3.common.save_util import load_from_zip_file

    _, parameters, _ = load_from_zip_file(file, load_data=False, device=model.device)
    weights = {name: value for name, value in parameters.items() if "optimizer" not in name}
    model.set_parameters(weights, exact_match=False, device=model.device)


FAMILY = Family(
    runner="sb3",
    classes={
        **{name.lower(): ("stable_baselines3", name) for name in ("PPO", "A2C", "DQN", "SAC", "TD3", "DDPG")},
        **{name.lower(): ("sb3_contrib", name) for name in ("TRPO", "QRDQN", "TQC")},
        "recurrent_ppo": ("sb3_contrib", "RecurrentPPO"),
        "maskable_ppo": ("sb3_contrib", "MaskablePPO"),
    },
    take_weights=_take_weights,
)

if __name__ == "__main__":
    leave(command.main(lambda words: training.work(words, FAMILY)))
