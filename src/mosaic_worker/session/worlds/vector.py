"""An environment that is vectorised in itself: each position is an actor, all act in every tick."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from mosaic_worker.session.outcome import BEGAN, RESTARTED, SOLE, Outcome
from mosaic_worker.session.worlds.base import World
from mosaic_worker.vectors import at, autoreset_mode, final

__all__ = ["VectorWorld"]


class VectorWorld(World):
    """A vector environment of gymnasium. Its actors are its positions, from 0.

    How a position begins its next episode is the environment's autoreset mode. With `disabled` it waits until
    the whole is reset: the environment still steps it, so it is reset for itself whenever it must be, and
    nobody is shown what becomes of it.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._mode = autoreset_mode(env)
        self.restarts = self._mode != "disabled"
        self._tuple_obs = type(getattr(env, "single_observation_space", None)).__name__ == "Tuple"
        self._now: Dict[Any, Outcome] = {}
        self._ended: List[bool] = [True] * int(env.num_envs)
        """Whose episode has ended, and no next one has begun."""
        self._unsteppable: List[bool] = [False] * len(self._ended)
        """Without autoreset: whom the environment refuses to step before it is reset."""
        self._some: Any = None

    @property
    def over(self) -> bool:
        """Before the first reset; later only where positions do not restart by themselves and all ended."""
        return not self._now or (not self.restarts and all(self._ended))

    def _reset(self, arguments: Dict[str, Any]) -> None:
        seeds = arguments.get("seed")
        if isinstance(seeds, list) and len(set(seeds)) == 1:
            arguments["seed"] = seeds[0]  # the environment derives each position's seed from one number
        mask = (arguments.get("options") or {}).get("reset_mask")  # the environment may take it out
        observations, infos = self.env.reset(**arguments)[:2]
        now: Dict[Any, Outcome] = {}
        for index in range(len(self._ended)):
            if mask is None or mask[index]:
                self._ended[index] = self._unsteppable[index] = False
                now[index] = Outcome(self._at(observations, index), info=_info_at(infos, index))
            elif index in self._now:
                now[index] = self._now[index]
        self._now = now

    def _at(self, batch: Any, index: int) -> Any:
        return at(batch, index, in_tuple=self._tuple_obs)

    def look(self) -> Dict[Any, Outcome]:
        """The outcome of every position but those that wait."""
        return self._now

    def step(self, actions: Mapping[Any, Any]) -> None:
        """Step all positions; one that has no action only restarts, or waits, and its action is ignored."""
        if any(self._unsteppable):
            self._reset_unsteppable()
        batch = self._batch([actions.get(index) for index in range(len(self._ended))])
        observations, rewards, terminated, truncated, infos = self.env.step(batch)
        now: Dict[Any, Outcome] = {}
        for index, ended in enumerate(self._ended):
            over = bool(terminated[index] or truncated[index])
            how, last = "", None
            if not self.restarts:
                self._unsteppable[index] = over
                if ended:
                    continue
            if ended and self._mode == "next_step":
                how, over = BEGAN, False
            elif over and self._mode == "same_step":
                how, last = RESTARTED, final(infos, index)
            now[index] = Outcome(
                self._at(observations, index),
                rewards[index],
                terminated[index],
                truncated[index],
                _info_at(infos, index),
                how,
                last,
            )
            self._ended[index] = over
        self._now = now

    def _reset_unsteppable(self) -> None:
        import numpy as np

        self.env.reset(options={"reset_mask": np.array(self._unsteppable)})

    def _batch(self, actions: List[Any]) -> Any:
        """One batch of what each position does; who does nothing gets what a neighbour does."""
        import numpy as np

        space = self.env.single_action_space
        some = next((action for action in actions if action is not None), self._some)
        self._some = some  # for a tick in which everybody restarts
        each = [some if action is None else action for action in actions]
        kind = type(space).__name__
        if kind == "Dict":
            return {key: np.stack([np.asarray(action[key]) for action in each]) for key in each[0]}
        if kind == "Tuple":
            return tuple(np.stack([np.asarray(part) for part in parts]) for parts in zip(*each))  # noqa: B905  (3.8 has no strict)
        return np.stack([np.asarray(action, dtype=getattr(space, "dtype", None)) for action in each])

    def action_space(self, actor: Any = SOLE) -> Any:
        """One position's."""
        del actor
        return self.env.single_action_space

    def observation_space(self, actor: Any = SOLE) -> Any:
        """One position's."""
        del actor
        return self.env.single_observation_space

    def draw(self, actor: Any = SOLE) -> Any:
        """The frame of one position, where the environment has one for each."""
        frames = self.env.render()
        if isinstance(frames, (tuple, list)) and frames:
            index = 0 if actor == SOLE else int(actor)
            return frames[min(index, len(frames) - 1)]
        return frames


def _info_at(infos: Any, index: int) -> Optional[Dict[str, Any]]:
    """The action mask of one position: the one entry of a batch's infos that operators look for."""
    mask = infos.get("action_mask") if isinstance(infos, dict) else None
    return None if mask is None else {"action_mask": mask[index]}
