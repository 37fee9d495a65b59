"""One environment being played, whatever its interface: reset, who sees what, step, draw.

A world decides nothing and counts nothing: operators decide, the loop counts, a replay compares.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from mosaic_worker import rng as generators
from mosaic_worker.session.outcome import SOLE, Outcome

__all__ = ["World"]


class World:
    """An environment behind one interface.

    The order of calls is `reset`, then `look` and `step` in turn until `over`. A tick is one call of `step`.

    Args:
        env: the environment, as the library that made it gives it. The world owns it: `close` closes it.
    """

    restarts = False
    """Whether actors begin their next episode by themselves, so that the world as a whole is never over."""

    def __init__(self, env: Any) -> None:
        self.env = env

    @property
    def core(self) -> Any:
        """The innermost environment."""
        return self.env.unwrapped

    @property
    def over(self) -> bool:
        """Whether nobody can act before the next reset: all has ended, or nothing has begun."""
        raise NotImplementedError

    def reset(self, *, seed: Any = None, options: Any = None, rng: Optional[Dict[str, Any]] = None) -> None:
        """Begin an episode.

        Args:
            seed: given to the environment when it is not None.
            options: likewise.
            rng: a state of its generator, from `mosaic_worker.rng.capture_env`, restored before the reset.
        """
        if rng is not None:
            generators.restore_env(rng, self.core)
        arguments: Dict[str, Any] = {}
        if seed is not None:
            arguments["seed"] = seed
        if options is not None:
            arguments["options"] = options
        self._reset(arguments)

    def _reset(self, arguments: Dict[str, Any]) -> None:
        raise NotImplementedError

    def look(self) -> Dict[Any, Outcome]:
        """What each actor got whose turn it is now, or whose episode has just ended.

        Whoever has no end flag and is not `GONE` must be given an action in the next `step`; so must whoever
        has `RESTARTED`.
        """
        raise NotImplementedError

    def step(self, actions: Mapping[Any, Any]) -> None:
        """Step the environment once with everybody's actions."""
        raise NotImplementedError

    def action_space(self, actor: Any = SOLE) -> Any:
        """What an actor may do."""
        raise NotImplementedError

    def observation_space(self, actor: Any = SOLE) -> Any:
        """What an actor may see; None where the environment does not say."""
        raise NotImplementedError

    def env_of(self, actor: Any = SOLE) -> Any:
        """The environment an actor is in."""
        del actor
        return self.env

    def draw(self, actor: Any = SOLE) -> Any:
        """An RGB frame of how it stands, from an actor's side where there is one; None when it gives none."""
        del actor
        return self.env.render()

    def state(self) -> Dict[str, Any]:
        """What the world itself remembers, beside the environment: to be copied, and given to `restore`."""
        return {name: value for name, value in vars(self).items() if name != "env"}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Remember what `state` gave. The environment must have been put back to the same moment."""
        vars(self).update(state)

    def close(self) -> None:
        """Let the environment go."""
        self.env.close()
