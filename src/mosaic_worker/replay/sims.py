"""Environments being re-simulated, one class per way of playing. Each step is compared with the record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from mosaic_worker import rng
from mosaic_worker.replay.compare import Difference, difference, flags_of, of_step
from mosaic_worker.replay.decode import live

if TYPE_CHECKING:
    from mosaic_worker.replay.units import Unit

__all__ = ["Sim", "SingleSim", "VectorSim"]

Found = List[Tuple[str, Difference]]
"""Differences, each with whose it is: an agent, a position, or nobody in particular ("")."""


class Sim:
    """One environment, stepped as recorded. `turn` counts the steps since the reset of the unit."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.turn = 0
        self.books: Dict[str, Any] = {}
        """What the way of playing has to remember between turns; part of every keyframe."""

    def reset(self, unit: Unit) -> Found:
        """Begin a unit: restore the generator, reset, compare what is observed."""
        self.turn = 0
        self.books = {}
        if not unit.called:
            return []
        self.restore_rng(unit.reset.get("rng"))
        arguments: Dict[str, Any] = {}
        if unit.reset.get("seed") is not None:
            arguments["seed"] = unit.reset["seed"]
        if unit.reset.get("options") is not None:
            arguments["options"] = live(unit.reset["options"])
        return self._reset(unit, arguments)

    def restore_rng(self, saved: Any) -> None:
        """Put the environment's generator, and an emulator's, into the recorded state."""
        if saved is not None:
            rng.restore_env(saved, self.core)

    @property
    def core(self) -> Any:
        """The innermost environment."""
        return self.env.unwrapped

    def step(self, unit: Unit) -> Found:
        """Play the next turn; what came of it that was not recorded so."""
        found = self._step(unit, unit.turns[self.turn])
        self.turn += 1
        return found

    def picture(self, focus: str) -> Any:
        """An RGB picture of how it stands; None when it gives none."""
        del focus
        return self.env.render()

    def close(self) -> None:
        """Let the environment go."""
        self.env.close()

    def _reset(self, unit: Unit, arguments: Dict[str, Any]) -> Found:
        raise NotImplementedError

    def _step(self, unit: Unit, turn: Any) -> Found:
        raise NotImplementedError


def _alone(found: Optional[Difference]) -> Found:
    return [] if found is None else [("", found)]


class SingleSim(Sim):
    """An environment of gymnasium or gym. A turn is `[action, reward, flags, obs]`."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._space = getattr(env, "action_space", None)

    def _reset(self, unit: Unit, arguments: Dict[str, Any]) -> Found:
        result = self.env.reset(**arguments)
        has_info = isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict)
        return _alone(difference(unit.first, result[0] if has_info else result))

    def _step(self, unit: Unit, turn: Any) -> Found:
        action = turn[0]
        result = self.env.step(action if type(action) is int else live(action, self._space))
        if len(result) == 5:
            obs, reward, terminated, truncated, _ = result
        else:
            obs, reward, done, info = result
            truncated = bool(done) and bool(info.get("TimeLimit.truncated", False))
            terminated = bool(done) and not truncated
        return _alone(of_step(turn[1:], obs, reward, flags_of(terminated, truncated)))


class VectorSim(Sim):
    """An environment vectorised in itself. A turn is `[[action…], [[reward, flags, obs, how, …]…]]`.

    A position that restarted by itself in this turn has only its observation to compare.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._tuple_obs = type(getattr(env, "single_observation_space", None)).__name__ == "Tuple"

    def _reset(self, unit: Unit, arguments: Dict[str, Any]) -> Found:
        seeds = arguments.get("seed")
        if isinstance(seeds, list) and len(set(seeds)) == 1:
            arguments["seed"] = seeds[0]
        obs = self.env.reset(**arguments)[0]
        return self._observed(unit.first, obs)

    def _observed(self, expected: Any, obs: Any) -> Found:
        found: Found = []
        for index, was in enumerate(expected or ()):
            one = difference(was, self._at(obs, index))
            if one is not None:
                found.append((str(index), one))
        return found

    def _at(self, batch: Any, index: int) -> Any:
        from mosaic_worker.vectors import at

        return at(batch, index, in_tuple=self._tuple_obs)

    def _step(self, unit: Unit, turn: Any) -> Found:
        from mosaic_worker.vectors import final

        given, expected = turn
        obs, rewards, terminated, truncated, infos = self.env.step(self._batch(given))
        found: Found = []
        for index, was in enumerate(expected):
            if was is None:
                continue
            now = self._at(obs, index)
            if was[3] == "began":
                one = difference(was[2], now)
            else:
                last = final(infos, index) if was[3] == "restarted" else now
                one = of_step(was, last, rewards[index], flags_of(terminated[index], truncated[index]))
                if one is None and was[3] == "restarted":
                    one = difference(was[4], now)
            if one is not None:
                found.append((str(index), one))
        return found

    def _batch(self, actions: List[Any]) -> Any:
        """One batch of what each position was given; who was given nothing gets what a neighbour got."""
        import numpy as np

        space = self.env.single_action_space
        some = next(action for action in actions if action is not None)
        each = [live(some if action is None else action, space) for action in actions]
        kind = type(space).__name__
        if kind == "Dict":
            return {key: np.stack([np.asarray(action[key]) for action in each]) for key in each[0]}
        if kind == "Tuple":
            return tuple(np.stack([np.asarray(part) for part in parts]) for parts in zip(*each))  # noqa: B905  (3.8 has no strict)
        return np.stack([np.asarray(action, dtype=getattr(space, "dtype", None)) for action in each])

    def picture(self, focus: str) -> Any:
        """The picture of one position, where the environment has one for each."""
        pictures = self.env.render()
        if isinstance(pictures, (tuple, list)) and pictures:
            index = int(focus) if focus else 0
            return pictures[min(index, len(pictures) - 1)]
        return pictures
