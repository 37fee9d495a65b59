"""Tabular learning with numpy: Q-learning and SARSA for discrete observations and actions. No torch.

The table is saved as `.npz` without pickle, with everything a training needs to go on: table, step count,
random generator. What it cannot hold is the environment's state, so a resumed training begins with a reset.
"""

from __future__ import annotations

import json
import math
import zipfile
import zlib
from collections import deque
from typing import IO, TYPE_CHECKING, Any, Deque, Dict, NamedTuple, Optional

import mosaic_worker
from mosaic_worker.drivers.kit import command, envs
from mosaic_worker.drivers.kit.command import Refused, Words
from mosaic_worker.drivers.kit.evaluating import evaluate
from mosaic_worker.drivers.kit.loading import opened
from mosaic_worker.drivers.kit.saving import Saver
from mosaic_worker.drivers.kit.serving import Surroundings, serve
from mosaic_worker.drivers.kit.stopping import Insisted, Stop, leave
from mosaic_worker.operators import Choice, Learner, Operator, Policy, Seat
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.worlds import SingleWorld

if TYPE_CHECKING:
    from mosaic_worker.session.outcome import Outcome
    from mosaic_worker.session.view import View

__all__ = ["DEFAULTS", "DEFAULT_STEPS", "HOLDS", "LACKS", "State", "Table", "epsilon_at", "work", "writer"]

DEFAULT_STEPS = 20_000
DEFAULTS: Dict[str, Any] = {
    "learning_rate": 0.1,
    "gamma": 0.99,
    "initial_value": 0.0,
    "epsilon_start": 1.0,
    "epsilon_end": 0.01,
    "epsilon_fraction": 0.6,
    "epsilon_schedule": "linear",
    "checkpoint_every": None,
    "keep_checkpoints": 3,
    "log_every": 500,
}
HOLDS = ["table", "step count", "random generator"]
LACKS = ["environment state"]
_ALGORITHMS = ("q_learning", "sarsa")
_RETURNS = 100


class _Settings(NamedTuple):
    learning_rate: float
    gamma: float
    initial_value: float
    epsilon_start: float
    epsilon_end: float
    epsilon_fraction: float
    epsilon_schedule: str
    checkpoint_every: Optional[int]
    keep_checkpoints: int
    log_every: int


def work(words: Words) -> Optional[int]:
    """Do one job."""
    if words.kind == "play":
        return serve(words, _seated)
    return _train(words) if words.kind == "train" else _evaluate(words)


def epsilon_at(progress: float, settings: Any) -> float:
    """How often to explore after this part (0 to 1) of the training."""
    if settings.epsilon_fraction <= 0:
        return float(settings.epsilon_end)
    part = min(1.0, progress / settings.epsilon_fraction)
    start, end = settings.epsilon_start, settings.epsilon_end
    if settings.epsilon_schedule == "exponential":
        low = max(end, 1e-4)  # a geometric way down cannot reach zero
        return float(start * math.pow(low / start, part)) if start > 0 else float(end)
    return float(start + (end - start) * part)


def _settings(words: Words) -> _Settings:
    unknown = sorted(set(words.parameters) - set(DEFAULTS))
    if unknown:
        raise Refused(f"tabular has no parameter {unknown[0]!r}. It has: {', '.join(DEFAULTS)}")
    found = _Settings(**dict(DEFAULTS, **words.parameters))
    if found.epsilon_schedule not in ("linear", "exponential"):
        raise Refused(f"epsilon_schedule is linear or exponential, not {found.epsilon_schedule!r}")
    return found


class Table:
    """Action values, and how to choose by them."""

    def __init__(self, values: Any, rng: Any, *, first_observation: int, first_action: int) -> None:
        self.values = values
        self.rng = rng
        self._obs0 = first_observation
        self._action0 = first_action

    def row(self, observation: Any) -> int:
        """The row of an observation."""
        return int(observation) - self._obs0

    def greedy(self, row: int) -> int:
        """The best action; among equals the first."""
        return int(self.values[row].argmax())

    def explore(self, row: int, epsilon: float) -> int:
        """Now and then any action, else the best; among equals any."""
        if self.rng.random() < epsilon:
            return int(self.rng.integers(self.values.shape[1]))
        values = self.values[row].tolist()  # a handful of floats: a list is three times as fast as an array
        most = max(values)
        best = [column for column, value in enumerate(values) if value == most]
        return best[0] if len(best) == 1 else best[self.rng.integers(len(best))]

    def action(self, column: int) -> int:
        """The action of a column."""
        return column + self._action0


class State(NamedTuple):
    """What a checkpoint holds besides the table."""

    step: int = 0
    target: int = 0
    env: str = ""
    algorithm: str = ""
    spaces: Optional[Dict[str, str]] = None
    rng: Optional[Dict[str, Any]] = None


def _load(path: str, words: Words) -> Any:
    import numpy as np

    with opened(path, sha256=words.sha256, pickled=False) as file:
        try:
            with np.load(file, allow_pickle=False) as held:
                values = np.array(held["table"], dtype=np.float64)
                about = json.loads(bytes(held["about"]).decode())
            state = State(**{name: about[name] for name in State._fields})
        except (ValueError, KeyError, OSError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise Refused(f"{path} is not a checkpoint of tabular: {error}") from None
    return values, state


def writer(table: Table, state: State) -> Any:
    """What puts a checkpoint into an open file."""
    import numpy as np

    about = dict(state._asdict(), rng=table.rng.bit_generator.state)
    data = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)

    def write(file: IO[bytes]) -> None:
        np.savez(file, table=table.values, about=data)

    return write


def _check_spaces(env: Any) -> None:
    from gymnasium.spaces import Discrete

    for name, space in (("observations", env.observation_space), ("actions", env.action_space)):
        if not isinstance(space, Discrete):
            raise Refused(
                f"tabular needs Discrete {name}, {env.spec.id} has {space}. "
                "Try FrozenLake-v1, CliffWalking-v1 or Taxi-v4, or another runner: mosaic runners ls"
            )


def _check_fits(env: Any, words: Words, values: Any, held: State) -> None:
    envs.check_same_spaces(env, words, trained_on=held.env, spaces=held.spaces or {})
    if values.shape != (int(env.observation_space.n), int(env.action_space.n)):
        raise Refused(f"the checkpoint's table is {values.shape}, which does not fit {words.env}")


def _train(words: Words) -> int:
    import numpy as np

    stop = Stop()
    settings = _settings(words)
    if words.algo not in _ALGORITHMS:
        raise Refused(f"tabular has no algorithm {words.algo!r}. It has: {', '.join(_ALGORITHMS)}")
    if words.envs != 1:
        raise Refused("tabular learns in one environment at a time: leave --envs out")
    env = envs.make(words)
    try:
        _check_spaces(env)
        spaces = envs.spaces_of(env)
        rng = np.random.default_rng(words.seed)
        shape = (int(env.observation_space.n), int(env.action_space.n))
        values = np.full(shape, float(settings.initial_value))
        state = State(target=words.steps or DEFAULT_STEPS)
        source = words.source
        if source:
            values, held = _load(source, words)
            _check_fits(env, words, values, held)
            if words.resume:
                rng.bit_generator.state = held.rng
                target = held.step + words.steps if words.steps else max(held.target, held.step)
                state = state._replace(step=held.step, target=target)
            _tell(source, held, resumed=bool(words.resume))
        table = Table(values, rng, first_observation=int(env.observation_space.start),
                       first_action=int(env.action_space.start))  # fmt: skip
        state = state._replace(env=words.env, algorithm=words.algo, spaces=spaces)
        _record(words, settings, state)
        return _Training(words, settings=settings, env=env, table=table, state=state, stop=stop).run()
    finally:
        env.close()


def _tell(source: str, held: State, *, resumed: bool) -> None:
    if resumed:
        text = f"resuming from {source} at step {held.step}: it holds {', '.join(HOLDS)}; not the {LACKS[0]}"
    else:
        text = f"starting from the table of {source}; step count and random generator begin anew"
    mosaic_worker.note(text)
    command.say(text)


def _record(words: Words, settings: _Settings, state: State) -> None:
    mosaic_worker.config(
        algo=words.algo,
        env_id=words.env,
        seed=words.seed,
        args=dict(
            settings._asdict(), steps=state.target, **{f"env.{k}": v for k, v in words.env_arguments.items()}
        ),
    )


class _Training(Learner):
    """One training, from its first reset to its last checkpoint: the operator of its one seat."""

    def __init__(
        self, words: Words, *, settings: _Settings, env: Any, table: Table, state: State, stop: Stop
    ) -> None:
        self._words = words
        self._settings = settings
        self._env = env
        self._table = table
        self._state = state
        self._stop = stop
        self._first = self._step = state.step
        self._row = self._column = 0
        self._returns: Deque[float] = deque(maxlen=_RETURNS)
        self._errors: Deque[float] = deque(maxlen=1000)
        self._best: Optional[float] = None
        every = settings.checkpoint_every
        self._every = every or max(
            1, -(-(state.target - state.step) // 5)
        )  # rounded up: none just before the end
        self._saver = Saver(
            suffix=".npz",
            kind="tabular",
            keep_last=settings.keep_checkpoints,
            about={
                "runner": "tabular",
                "algorithm": words.algo,
                "env_id": words.env,
                "env_arguments": words.env_arguments,
                "spaces": state.spaces,
                "seed": words.seed,
                "target_steps": state.target,
                "holds": HOLDS,
                "lacks": LACKS,
            },
        )

    def run(self) -> int:
        step = self._first
        try:
            with self._stop.gently():
                step = self._learn()
        except Insisted:
            step = self._step
        self._save("stop" if self._stop.asked else "final", step)
        if not self._stop.asked:
            self._save_if_best(step)
        mean = self._mean()
        command.say(
            f"{'stopped' if self._stop.asked else 'done'} at step {step}"
            + (
                f", mean return {mean:.3f} over the last {len(self._returns)} episodes"
                if self._returns
                else ""
            )
        )
        return self._stop.exit_code

    def _learn(self) -> int:
        seed = self._words.seed
        if seed is not None and self._first:
            seed = (seed + self._first) % (1 << 31)  # not the episodes it began with, all over again
        until = Until(ticks=max(0, self._state.target - self._first), stop=lambda: bool(self._stop.asked))
        play(SingleWorld(self._env), self, until=until, seed=seed)
        return self._step

    def act(self, view: View) -> Choice:
        """The action that was chosen with the last update; at an episode's start there was none."""
        if view.step == 0:
            self._row = self._table.row(view.observation)
            self._column = self._table.explore(self._row, self._epsilon(self._step))
        return Choice(self._table.action(self._column))

    def learn(self, view: View, choice: Choice, outcome: Outcome) -> None:
        """Update the table with one step; choose the next action, which SARSA learns from."""
        step = self._step = self._step + 1
        reward = float(outcome.reward)
        after = self._table.row(outcome.observation)
        following = self._table.explore(after, self._epsilon(step))
        self._update(self._row, self._column, reward, after, following, over=bool(outcome.terminated))
        self._row, self._column = after, following
        if outcome.terminated or outcome.truncated:
            self._returns.append(view.returned + reward)
        if step % self._settings.log_every == 0:
            self._log(step)
        if (step - self._first) % self._every == 0 and step < self._state.target:
            self._checkpoint(step)

    def _update(
        self, row: int, column: int, reward: float, after: int, following: int, *, over: bool
    ) -> None:
        values = self._table.values
        if over:
            ahead = 0.0
        elif self._words.algo == "sarsa":
            ahead = values[after, following]
        else:
            ahead = max(values[after].tolist())
        error = reward + self._settings.gamma * ahead - values[row, column]
        values[row, column] += self._settings.learning_rate * error
        self._errors.append(abs(float(error)))

    def _epsilon(self, step: int) -> float:
        return epsilon_at(step / self._state.target, self._settings)

    def _mean(self) -> float:
        return sum(self._returns) / len(self._returns) if self._returns else math.nan

    def _log(self, step: int) -> None:
        if self._returns:
            mosaic_worker.metric("rollout/ep_rew_mean", self._mean(), step)
        if self._errors:
            mosaic_worker.metric("train/td_error", sum(self._errors) / len(self._errors), step)
        mosaic_worker.metric("rollout/exploration_rate", self._epsilon(step), step)

    def _checkpoint(self, step: int) -> None:
        self._save("cadence", step)
        self._save_if_best(step)

    def _save_if_best(self, step: int) -> None:
        if self._returns and (self._best is None or self._mean() > self._best):
            self._best = self._mean()
            self._save("best", step)

    def _save(self, reason: str, step: int) -> None:
        metrics = (
            {"return_mean": self._mean(), "episodes": float(len(self._returns))} if self._returns else {}
        )
        with self._stop.saving():
            self._saver.save(
                writer(self._table, self._state._replace(step=step)),
                step=step,
                reason=reason,
                metrics=metrics,
            )


def _evaluate(words: Words) -> int:
    import numpy as np

    Stop()
    if words.checkpoint is None:
        raise Refused("--checkpoint is missing: the file to evaluate")
    values, held = _load(words.checkpoint, words)
    words = words._replace(env=words.env or held.env)
    env = envs.make(words)
    try:
        _check_spaces(env)
        _check_fits(env, words, values, held)
        table = Table(values, np.random.default_rng(0), first_observation=int(env.observation_space.start),
                       first_action=int(env.action_space.start))  # fmt: skip
        mosaic_worker.config(
            algo=held.algorithm, env_id=words.env, seed=words.seed, args={"checkpoint": words.checkpoint}
        )
        greedy = Policy(lambda view: table.action(table.greedy(table.row(view.observation))))
        evaluate(env, greedy, seed=words.seed, episodes=words.episodes, step=held.step)
    finally:
        env.close()
    return 0


class _Seated(Operator):
    """A table in somebody's session. Says the values it decides by."""

    def __init__(self, table: Table, *, samples: bool) -> None:
        self._table = table
        self._samples = samples

    def begin(self, seat: Seat) -> None:
        """Seed the draws."""
        import numpy as np

        self._table.rng = np.random.default_rng(seat.seed)

    def act(self, view: View) -> Choice:
        """The best action; of several that are equally good the first, or with sampling any."""
        table = self._table
        row = table.row(view.observation)
        column = table.explore(row, 0.0) if self._samples else table.greedy(row)
        values = table.values[row].tolist()
        return Choice(table.action(column), {"q": values, "value": max(values)})


def _seated(words: Words, around: Surroundings) -> Operator:
    import numpy as np

    if words.checkpoint is None:
        raise Refused("--checkpoint is missing: the file that plays")
    values, held = _load(words.checkpoint, words)
    around.check(trained_on=held.env, spaces=held.spaces or {})
    table = Table(values, np.random.default_rng(0), first_observation=around.start("observation"),
                   first_action=around.start("action"))  # fmt: skip
    return _Seated(table, samples=bool(words.parameters.get("sample")))


if __name__ == "__main__":
    leave(command.main(work))
