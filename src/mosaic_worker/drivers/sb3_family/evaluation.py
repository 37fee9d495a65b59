"""Playing a checkpoint of anything with Stable-Baselines3's interface. Trusted bytes only; trains nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict

import mosaic_worker
from mosaic_worker.drivers.kit import envs, evaluating
from mosaic_worker.drivers.kit.command import Refused, Words
from mosaic_worker.drivers.kit.loading import opened
from mosaic_worker.drivers.sb3_family import files
from mosaic_worker.drivers.sb3_family.family import MASKABLE, Family, class_of
from mosaic_worker.operators import Choice, Operator

if TYPE_CHECKING:
    from mosaic_worker.session.view import View

__all__ = ["evaluate"]


class _Model(Operator):
    """A model's best actions. Keeps the state of those that remember, within an episode."""

    def __init__(self, model: Any, env: Any, *, normaliser: Any, masked: bool) -> None:
        from gymnasium import spaces

        self._model = model
        self._env = env
        self._normaliser = normaliser
        self._masked = masked
        self._discrete = isinstance(env.action_space, spaces.Discrete)
        self._state: Any = None

    def act(self, view: View) -> Choice:
        """Ask the model."""
        import numpy as np

        seen = view.observation
        if self._normaliser is not None:
            seen = self._normaliser.normalize_obs(seen)
        extra: Dict[str, Any] = {"action_masks": self._env.action_masks()} if self._masked else {}
        action, self._state = self._model.predict(
            seen,
            state=self._state,
            episode_start=np.array([view.step == 0]),
            deterministic=True,
            **extra,
        )
        return Choice(int(action) if self._discrete else action)


def evaluate(words: Words, family: Family) -> int:
    """Play the policy of a checkpoint, with its best actions, and report.

    Raises:
        Refused: the checkpoint is not the trusted one, or does not fit the environment.
    """
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
            operator = _Model(model, env, normaliser=normaliser, masked=words.algo == MASKABLE)
            done = int(model.num_timesteps)
            evaluating.evaluate(env, operator, seed=words.seed, episodes=words.episodes, step=done)
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
