"""Playing a checkpoint of anything with Stable-Baselines3's interface. Trusted bytes only; trains nothing."""

from __future__ import annotations

from typing import Any

import mosaic_worker
from mosaic_worker.drivers.kit import envs
from mosaic_worker.drivers.kit.command import Refused, Words
from mosaic_worker.drivers.kit.evaluating import Played, report
from mosaic_worker.drivers.kit.loading import opened
from mosaic_worker.drivers.sb3_family import files
from mosaic_worker.drivers.sb3_family.family import MASKABLE, Family, class_of

__all__ = ["evaluate"]


def evaluate(words: Words, family: Family) -> int:
    """Play the policy of a checkpoint, with its best actions, and report.

    Raises:
        Refused: the checkpoint is not the trusted one, or does not fit the environment.
    """
    import numpy as np
    from gymnasium import spaces

    if words.checkpoint is None:
        raise Refused("--checkpoint is missing: the file to evaluate")
    with opened(words.checkpoint, sha256=words.sha256, pickled=True) as file:
        about = files.read_about(file)
        words = words._replace(algo=words.algo or about.algorithm, env=words.env or about.env)
        if not words.env:
            raise Refused("the checkpoint does not say what it was trained on: add --env")
        env = envs.make(words)
        if words.algo == MASKABLE:
            env = envs.with_masks(env)
        try:
            envs.check_same_spaces(env, words, trained_on=about.env, spaces=about.spaces or {})
            model = class_of(words, family).load(file, device="cpu")
            file.seek(0)
            normaliser = files.read_member(file, files.NORMALISER)
            _check_shape(model, env, words)
            mosaic_worker.config(
                algo=words.algo, env_id=words.env, seed=words.seed, args={"checkpoint": words.checkpoint}
            )
            played = Played()
            observation, _ = env.reset(seed=words.seed)
            state: Any = None
            starting = np.ones((1,), dtype=bool)
            while len(played.returns) < words.episodes:
                seen = observation if normaliser is None else normaliser.normalize_obs(observation)
                extra = {}
                if words.algo == MASKABLE:
                    extra["action_masks"] = env.action_masks()
                action, state = model.predict(
                    seen, state=state, episode_start=starting, deterministic=True, **extra
                )
                chosen = int(action) if isinstance(env.action_space, spaces.Discrete) else action
                observation, reward, terminated, truncated, _ = env.step(chosen)
                played.step(float(reward))
                starting = np.array([terminated or truncated])
                if terminated or truncated:
                    played.end()
                    if len(played.returns) < words.episodes:
                        observation, _ = env.reset()
            report(played, step=int(model.num_timesteps))
        finally:
            env.close()
    return 0


def _check_shape(model: Any, env: Any, words: Words) -> None:
    """For checkpoints that do not say what they were trained on."""
    if model.observation_space.shape != env.observation_space.shape or type(model.action_space) is not type(
        env.action_space
    ):
        raise Refused(
            f"the checkpoint does not fit {words.env}: it sees {model.observation_space} and acts in "
            f"{model.action_space}; use the environment it was trained on"
        )
