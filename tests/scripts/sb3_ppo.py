"""SB3's PPO on CartPole, logging to TensorBoard, saved at the end. Says at its end what it counted itself."""

import json
import sys
from typing import Any

import gymnasium as gym
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter


class Keep(KVWriter):  # type: ignore[misc]
    """One more output of the logger: it keeps what the others print."""

    def __init__(self) -> None:
        self.metrics: list[list[object]] = []

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0) -> None:
        self.metrics += [[name, float(value), step] for name, value in key_values.items()]

    def close(self) -> None:
        pass


class Listen(BaseCallback):  # type: ignore[misc]
    """Adds the output once the logger is there, and counts what is under way."""

    def __init__(self, keep: Keep) -> None:
        super().__init__()
        self.keep = keep
        self.running: tuple[int, float] = (0, 0.0)

    def _on_training_start(self) -> None:
        self.logger.output_formats.append(self.keep)

    def _on_step(self) -> bool:
        steps, total = self.running
        over, reward = bool(self.locals["dones"][0]), float(self.locals["rewards"][0])
        self.running = (0, 0.0) if over else (steps + 1, total + reward)
        return True


def main() -> None:
    env = gym.make("CartPole-v1")
    model = PPO(
        "MlpPolicy", env, n_steps=256, batch_size=64, n_epochs=2, seed=1, tensorboard_log="tb", device="cpu"
    )
    keep = Keep()
    listen = Listen(keep)
    model.learn(total_timesteps=1024, log_interval=1, callback=listen)
    model.save("policy")
    monitor = model.get_env().envs[0]
    episodes: list[dict[str, object]] = [
        {"steps": int(length), "return": float(total)}
        for length, total in zip(monitor.get_episode_lengths(), monitor.get_episode_rewards(), strict=True)
    ]
    # After an episode the vector environment resets at once: one is always under way at the end.
    episodes.append({"steps": listen.running[0], "return": listen.running[1], "outcome": "cut"})
    found = {
        "episodes": episodes,
        "metrics": keep.metrics,
        "checkpoints": ["policy.zip"],
        "algo": "PPO",
        "seed": 1,
    }
    print("EXPECT", json.dumps(found), file=sys.stderr)


main()
