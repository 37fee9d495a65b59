"""What reaches the journal from Stable-Baselines3's logger and algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.worker.stand_ins import run

if TYPE_CHECKING:
    from pathlib import Path


def test_a_dump_is_recorded_once_although_it_also_goes_to_tensorboard(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import numpy as np
        from stable_baselines3.common.logger import Logger
        logger = Logger()
        logger.name_to_value.update({"rollout/ep_rew_mean": 21.5, "time/fps": 900})
        logger.name_to_value.update({"note": "text", "histogram": np.zeros(3)})
        logger.dump(step=2048)
        logger.name_to_value["train/loss"] = np.float32(0.1)
        logger.dump(4096)
        logger.level, logger.name_to_value["lost"] = 50, 1.0
        logger.dump(5000)
        logger.writer.add_scalar("own", 1.0, 1)
        """,
    )
    assert [(m["name"], m["value"], m["step"], m["source"]) for m in done.of("metric")] == [
        ("rollout/ep_rew_mean", 21.5, 2048, "sb3"),
        ("time/fps", 900.0, 2048, "sb3"),
        ("train/loss", 0.10000000149011612, 4096, "sb3"),
        ("own", 1.0, 1, "tensorboard"),
    ]
    assert done.hook_errors == {}


def test_learning_says_which_algorithm_with_which_settings(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from types import SimpleNamespace as Thing
        from stable_baselines3.common.base_class import PPO
        inner = Thing(envs=[Thing(spec=Thing(id="CartPole-v1"))])
        PPO(env=Thing(venv=inner)).learn(1000)
        """,
    )
    (config,) = done.of("config")
    assert (config["algo"], config["env_id"], config["seed"]) == ("PPO", "CartPole-v1", 7)
    args = config["args"]
    assert (args["learning_rate"], args["gamma"], args["clip_range"]) == (3e-4, 0.99, 0.2)
    assert args["policy_kwargs"] == {"net_arch": [64, 64]}
    assert args["total_timesteps"] == 1000
    assert not {"_secret", "num_timesteps", "env"} & set(args)
    assert done.hook_errors == {}


def test_learning_tells_members_in_other_processes_that_they_train_without_a_reset(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from mosaic_worker import told
        from stable_baselines3.common.base_class import PPO
        class VecNormalize:
            def __init__(self, venv):
                self.venv = venv
        class Envs:
            pass
        envs = Envs()
        byte = told.telling(envs)
        byte.say("eval")
        PPO(VecNormalize(envs)).learn(1)
        assert byte.role == "train", byte.role
        """,
    )
    assert done.hook_errors == {}
    assert [c["algo"] for c in done.of("config")] == ["PPO"]
