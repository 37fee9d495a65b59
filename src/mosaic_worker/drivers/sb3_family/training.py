"""Training with anything that has Stable-Baselines3's interface. Knows no algorithm by name.

Training only; `_sb3_eval` plays what was trained.
"""

from __future__ import annotations

import inspect
import math
from typing import Any, Dict, List, Optional, Tuple

import mosaic_worker
from mosaic_worker.drivers.kit import command, envs
from mosaic_worker.drivers.kit.command import Refused, Words
from mosaic_worker.drivers.kit.loading import opened
from mosaic_worker.drivers.kit.saving import Saver
from mosaic_worker.drivers.kit.serving import serve
from mosaic_worker.drivers.kit.stopping import Insisted, Stop
from mosaic_worker.drivers.sb3_family import files
from mosaic_worker.drivers.sb3_family.evaluation import evaluate, seated
from mosaic_worker.drivers.sb3_family.family import MASKABLE, Family, class_of
from mosaic_worker.drivers.sb3_family.files import About

__all__ = ["DEFAULT_STEPS", "work"]

DEFAULT_STEPS = 50_000
_OURS = (
    "policy",
    "net_arch",
    "normalize",
    "save_replay_buffer",
    "checkpoint_every",
    "keep_checkpoints",
    "device",
)
_SMALLEST_IMAGE = 36


def work(words: Words, family: Family) -> int:
    """Do one job."""
    stop = Stop()
    if words.kind == "play":
        return serve(words, lambda job, around: seated(job, around, family))
    if words.kind == "eval":
        return evaluate(words, family)
    training = _Training(words, family, stop)
    try:
        return training.run()
    finally:
        training.env.close()


def _vector(words: Words) -> Any:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    masks = words.algo == MASKABLE

    def one() -> Any:
        env = envs.make(words)
        return Monitor(envs.with_masks(env) if masks else env)

    return DummyVecEnv([one for _ in range(words.envs)])


def _own(words: Words, kind: Any) -> Dict[str, Any]:
    """The parameters that are the framework's own.

    Raises:
        Refused: the algorithm does not take one of them.
    """
    found = {name: value for name, value in words.parameters.items() if name not in _OURS}
    takes = set(inspect.signature(kind.__init__).parameters)
    for name in found:
        if name not in takes:
            raise Refused(f"{words.algo} has no parameter {name!r}. See: mosaic runners show")
    for name in ("ent_coef", "target_entropy"):
        if isinstance(found.get(name), int):
            found[name] = float(found[name])
    return found


def _policy(words: Words, kind: Any, space: Any) -> str:
    """The name of the policy: as asked, or by what the observations are."""
    from gymnasium import spaces
    from stable_baselines3.common.preprocessing import is_image_space

    asked = str(words.parameters.get("policy", "auto"))
    if asked == "auto":
        big = is_image_space(space) and sorted(space.shape)[-2] >= _SMALLEST_IMAGE
        asked = "MultiInputPolicy" if isinstance(space, spaces.Dict) else "CnnPolicy" if big else "MlpPolicy"
    known = list(kind.policy_aliases)
    for name in (asked, asked.replace("Policy", "LstmPolicy")):
        if name in known:
            return name
    raise Refused(f"{words.algo} has no {asked} for {space}. It has: {', '.join(sorted(known))}")


def _policy_arguments(words: Words) -> Optional[Dict[str, Any]]:
    text = words.parameters.get("net_arch")
    if text is None:
        return None
    try:
        sizes = [int(size) for size in str(text).strip("[]").split(",")]
    except ValueError:
        raise Refused(f"net_arch is sizes of layers such as 64,64; got {text!r}") from None
    return {"net_arch": sizes}


class _Training:
    """One training, from making its environments to its last checkpoint."""

    def __init__(self, words: Words, family: Family, stop: Stop) -> None:
        self._words = words
        self._family = family
        self._stop = stop
        self._kind = class_of(words, family)
        self._normaliser: Any = None
        self._best: Optional[float] = None
        self._next = 0
        self._buffer = bool(words.parameters.get("save_replay_buffer", False))
        own = _own(words, self._kind)
        self.env = _vector(words)
        try:
            self._spaces = envs.spaces_of(self.env)
            if words.resume:
                self.model, self._target = self._resumed(own, words.source or words.resume)
            else:
                self.model, self._target = self._fresh(own), words.steps or DEFAULT_STEPS
        except BaseException:
            self.env.close()
            raise
        first = int(self.model.num_timesteps)
        every = words.parameters.get("checkpoint_every") or max(1, -(-(self._target - first) // 5))
        self._every = int(every)
        self._next = first + self._every
        self._saver = self._make_saver()

    def _make_saver(self) -> Saver:
        words = self._words
        holds, lacks = files.holdings(
            self.model, normaliser=self._normaliser is not None, buffer=self._buffer
        )
        self._about = About(
            runner=self._family.runner,
            algorithm=words.algo,
            env=words.env,
            spaces=self._spaces,
            target=self._target,
            holds=holds,
            lacks=lacks,
        )
        return Saver(
            suffix=".zip",
            kind=self._family.runner,
            keep_last=int(words.parameters.get("keep_checkpoints", 3)),
            about={
                "runner": self._family.runner,
                "algorithm": words.algo,
                "env_id": words.env,
                "env_arguments": dict(words.env_arguments),
                "spaces": self._spaces,
                "seed": words.seed,
                "target_steps": self._target,
                "holds": holds,
                "lacks": lacks,
            },
        )

    # ---- models ----

    def _wrapped(self, held: Any = None) -> Any:
        """The environments, behind a normaliser when there is one or one is asked for."""
        from stable_baselines3.common.vec_env import VecNormalize

        if held is not None:
            held.set_venv(self.env)
            self._normaliser = held
        elif self._words.parameters.get("normalize"):
            self._normaliser = VecNormalize(self.env, gamma=float(self._words.parameters.get("gamma", 0.99)))
        return self._normaliser or self.env

    def _fresh(self, own: Dict[str, Any]) -> Any:
        words = self._words
        if not words.init:
            return self._new(own, self._wrapped())
        with opened(words.init, sha256=words.sha256, pickled=True) as file:
            about = files.read_about(file)
            self._check_fits(about)
            model = self._new(own, self._wrapped(files.read_member(file, files.NORMALISER)))
            try:
                self._family.take_weights(model, self._kind, file)
            except (RuntimeError, ValueError, KeyError) as error:
                raise Refused(f"the weights of {words.init} do not fit this network: {error}") from None
        _tell(f"starting from the weights of {words.init}; optimiser and step count begin anew")
        return model

    def _new(self, own: Dict[str, Any], env: Any) -> Any:
        words = self._words
        policy = _policy(words, self._kind, self.env.observation_space)
        device = str(words.parameters.get("device", "auto"))
        try:
            return self._kind(
                policy,
                env,
                seed=words.seed,
                policy_kwargs=_policy_arguments(words),
                device=device,
                **own,
            )
        except (AssertionError, ValueError, NotImplementedError) as error:
            raise Refused(f"{words.algo} cannot work with {words.env}: {error}") from None

    def _resumed(self, own: Dict[str, Any], path: str) -> Tuple[Any, int]:
        words = self._words
        with opened(path, sha256=words.sha256, pickled=True) as file:
            about = files.read_about(file)
            self._check_fits(about)
            env = self._wrapped(files.read_member(file, files.NORMALISER))
            device = str(words.parameters.get("device", "auto"))
            model = self._kind.load(file, env=env, device=device, **own)
            file.seek(0)
            buffer = files.read_member(file, files.REPLAY_BUFFER)
        done = int(model.num_timesteps)
        if buffer is not None:
            model.replay_buffer = buffer
        if words.seed is not None:
            model.env.seed((words.seed + done) % (1 << 31))  # not the episodes it began with, all over again
        if about.random is not None:
            files.restore_random(about.random)
        holds, lacks = about.holds or ["weights", "optimiser", "step count"], about.lacks or []
        _tell(f"resuming from {path} at step {done}: it holds {', '.join(holds)}; not {', '.join(lacks)}")
        return model, done + words.steps if words.steps else max(about.target, done)

    def _check_fits(self, about: About) -> None:
        if about.algorithm and about.algorithm != self._words.algo:
            raise Refused(f"the checkpoint is of {about.algorithm}, not of {self._words.algo}")
        envs.check_same_spaces(self.env, self._words, trained_on=about.env, spaces=about.spaces or {})

    # ---- learning ----

    def run(self) -> int:
        from stable_baselines3.common.callbacks import BaseCallback

        training = self

        class Watch(BaseCallback):  # type: ignore[misc]
            def _on_step(self) -> bool:
                return training._after_step()

        try:
            with self._stop.gently():
                more = self._target - int(self.model.num_timesteps)
                if more > 0:
                    self.model.learn(more, callback=Watch(), reset_num_timesteps=False)
        except Insisted:
            _tell("interrupted in the middle of an update; saving what there is")
        self._save("stop" if self._stop.asked else "final")
        if not self._stop.asked:
            self._save_if_best()
        step, mean = int(self.model.num_timesteps), self._mean()
        what = "stopped" if self._stop.asked else "done"
        command.say(f"{what} at step {step}" + ("" if math.isnan(mean) else f", mean return {mean:.2f}"))
        return self._stop.exit_code

    def _after_step(self) -> bool:
        step = int(self.model.num_timesteps)
        if step >= self._next and step < self._target:
            while self._next <= step:
                self._next += self._every
            self._save("cadence")
            self._save_if_best()
        return not self._stop.asked

    def _returns(self) -> List[float]:
        return [float(episode["r"]) for episode in self.model.ep_info_buffer or ()]

    def _mean(self) -> float:
        returns = self._returns()
        return sum(returns) / len(returns) if returns else math.nan

    def _save_if_best(self) -> None:
        mean = self._mean()
        if not math.isnan(mean) and (self._best is None or mean > self._best):
            self._best = mean
            self._save("best")

    def _save(self, reason: str) -> None:
        returns = self._returns()
        metrics = {"return_mean": self._mean(), "episodes": float(len(returns))} if returns else {}
        with self._stop.saving():
            self._saver.save(
                lambda file: files.write(
                    file, self.model, self._about, normaliser=self._normaliser, buffer=self._buffer
                ),
                step=int(self.model.num_timesteps),
                reason=reason,
                metrics=metrics,
            )


def _tell(text: str) -> None:
    mosaic_worker.note(text)
    command.say(text)
