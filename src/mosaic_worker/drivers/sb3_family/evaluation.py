"""Playing a checkpoint of anything with Stable-Baselines3's interface. Trusted bytes only; trains nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Optional

import mosaic_worker
from mosaic_worker.drivers.kit import envs, evaluating
from mosaic_worker.drivers.kit.command import Refused, Words
from mosaic_worker.drivers.kit.loading import opened
from mosaic_worker.drivers.sb3_family import files
from mosaic_worker.drivers.sb3_family.family import MASKABLE, Family, class_of
from mosaic_worker.drivers.sb3_family.insight import insight
from mosaic_worker.operators import Choice, Operator, Seat
from mosaic_worker.session.fitting import described

if TYPE_CHECKING:
    from mosaic_worker.drivers.kit.serving import Surroundings
    from mosaic_worker.session.view import View

__all__ = ["evaluate", "seated"]


class _Model(Operator):
    """A model's actions. Keeps the state of those that remember, within an episode.

    Args:
        model: of any class of the family.
        normaliser: of its observations, if it was trained with one.
        masks: which actions are possible, for the one algorithm that must know.
        samples: whether it draws from its distribution instead of taking the best action.
        explains: whether it says what it knows of a decision: probabilities, values, entropy.
    """

    def __init__(
        self,
        model: Any,
        *,
        normaliser: Any,
        masks: Optional[Callable[[View], Any]] = None,
        samples: bool = False,
        explains: bool = False,
    ) -> None:
        self._model = model
        self._normaliser = normaliser
        self._masks = masks
        self._samples = samples
        self._explains = explains
        self._discrete = type(model.action_space).__name__ == "Discrete"
        self._state: Any = None

    def begin(self, seat: Seat) -> None:
        """Seed what it draws."""
        if self._samples and seat.seed is not None:
            self._model.set_random_seed(seat.seed % (1 << 32))

    def act(self, view: View) -> Choice:
        """Ask the model."""
        import numpy as np

        seen = view.observation
        if self._normaliser is not None:
            seen = self._normaliser.normalize_obs(seen)
        extra: Dict[str, Any] = {} if self._masks is None else {"action_masks": self._masks(view)}
        before = self._state
        action, self._state = self._model.predict(
            seen,
            state=before,
            episode_start=np.array([view.step == 0]),
            deterministic=not self._samples,
            **extra,
        )
        data = insight(self._model, seen) if self._explains and self._state is None and not extra else None
        return Choice(int(action) if self._discrete else action, data)


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
            masks = (lambda _: env.action_masks()) if words.algo == MASKABLE else None
            operator = _Model(model, normaliser=normaliser, masks=masks)
            done = int(model.num_timesteps)
            evaluating.evaluate(env, operator, seed=words.seed, episodes=words.episodes, step=done)
        finally:
            env.close()
    return 0


def seated(words: Words, around: Surroundings, family: Family) -> Operator:
    """The policy of a checkpoint, for a session in another interpreter.

    Raises:
        Refused: the checkpoint is not the trusted one, or does not fit the seat.
    """
    if words.checkpoint is None:
        raise Refused("--checkpoint is missing: the file that plays")
    with opened(words.checkpoint, sha256=words.sha256, pickled=True) as file:
        about = files.read_about(file)
        words = words._replace(algo=words.algo or about.algorithm or files.algorithm_of(file))
        if not words.algo:
            raise Refused(
                f"{words.checkpoint} does not say which algorithm it is of. Load it in a Python file that "
                "decides: --operator python:FILE.py"
            )
        model = class_of(words, family).load(file, device="cpu")
        file.seek(0)
        normaliser = files.read_member(file, files.NORMALISER)
    spaces = {"observation": described(model.observation_space), "action": described(model.action_space)}
    around.check(trained_on=about.env, spaces=spaces)
    return _Model(
        model,
        normaliser=normaliser,
        masks=(lambda view: view.mask) if words.algo == MASKABLE else None,
        samples=bool(words.parameters.get("sample")),
        explains=True,
    )


def _check_shape(model: Any, env: Any, words: Words) -> None:
    """For checkpoints that do not say what they were trained on."""
    if model.observation_space.shape != env.observation_space.shape or type(model.action_space) is not type(
        env.action_space
    ):
        raise Refused(
            f"the checkpoint does not fit {words.env}: it sees {model.observation_space} and acts in "
            f"{model.action_space}; use the environment it was trained on"
        )
