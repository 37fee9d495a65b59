"""SB3's PPO on CartPole, logging to TensorBoard, saved at the end. Says at its end what it counted itself."""

import json
import sys

import gymnasium as gym
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter


class Keep(KVWriter):
    """One more output of the logger: it keeps what the others print."""

    def __init__(self):
        self.metrics = []

    def write(self, key_values, key_excluded, step=0):
        self.metrics += [[name, float(value), step] for name, value in key_values.items()]

    def close(self):
        pass


class Listen(BaseCallback):
    """Adds the output once the logger is there, and counts what is under way."""

    def __init__(self, keep):
        super().__init__()
        self.keep = keep
        self.running = [0, 0.0]

    def _on_training_start(self):
        self.logger.output_formats.append(self.keep)

    def _on_step(self):
        over = bool(self.locals["dones"][0])
        self.running = (
            [0, 0.0] if over else [self.running[0] + 1, self.running[1] + float(self.locals["rewards"][0])]
        )
        return True


def main():
    env = gym.make("CartPole-v1")
    model = PPO(
        "MlpPolicy", env, n_steps=256, batch_size=64, n_epochs=2, seed=1, tensorboard_log="tb", device="cpu"
    )
    keep = Keep()
    listen = Listen(keep)
    model.learn(total_timesteps=1024, log_interval=1, callback=listen)
    model.save("policy")
    monitor = model.get_env().envs[0]
    episodes = [
        {"steps": int(length), "return": float(total)}
        for length, total in zip(monitor.get_episode_lengths(), monitor.get_episode_rewards())
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
