"""Environments of gymnasium that return dicts by agent, as RLlib's `MultiAgentEnv`: who sees acts next."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Tuple

from mosaic_worker.session.outcome import SOLE, Outcome, first_values
from mosaic_worker.session.worlds.base import World
from mosaic_worker.shapes import ALL, flag

__all__ = ["DictWorld"]


class DictWorld(World):
    """Whoever is given an observation and is not over must act in the next tick."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._now: Dict[Any, Outcome] = {}
        self._over = True
        self.values: Tuple[Any, Any, Any, Any] = ({}, {}, {}, {})
        """Observations, rewards and both flags, as the last step or reset gave them."""

    @property
    def over(self) -> bool:
        """Whether the environment said so for everybody, or nobody is left to act."""
        return self._over

    def _reset(self, arguments: Dict[str, Any]) -> None:
        observations, infos = first_values(self.env.reset(**arguments))
        self.values = (observations, {}, {}, {})
        self._now = {agent: Outcome(seen, info=infos.get(agent)) for agent, seen in observations.items()}
        self._over = not self._now

    def look(self) -> Dict[Any, Outcome]:
        """The outcome of everybody who sees something, or whose episode has just ended."""
        return self._now

    def step(self, actions: Mapping[Any, Any]) -> None:
        """Step with the actions of whoever acts."""
        result = self.env.step(dict(actions))
        observations, rewards, ended = result[:3]
        cut = result[3] if len(result) == 5 else {}  # old gym: observations, rewards, dones, infos
        self.values = (observations, rewards, ended, cut)
        infos = result[-1]
        for_all = (flag(ended.get(ALL, False)), flag(cut.get(ALL, False)))
        told = [agent for agent in (*observations, *ended, *cut) if agent != ALL]
        self._now = {
            agent: Outcome(
                observations.get(agent),
                rewards.get(agent, 0.0),
                for_all[0] or flag(ended.get(agent, False)),
                for_all[1] or flag(cut.get(agent, False)),
                infos.get(agent),
            )
            for agent in dict.fromkeys(told)
            if agent in observations
            or any(for_all)
            or flag(ended.get(agent, False))
            or flag(cut.get(agent, False))
        }
        self._over = any(for_all) or all(now.terminated or now.truncated for now in self._now.values())

    def action_space(self, actor: Any = SOLE) -> Any:
        """An agent's; None where the environment does not say."""
        return self._space("action_space", actor)

    def observation_space(self, actor: Any = SOLE) -> Any:
        """An agent's; None where the environment does not say."""
        return self._space("observation_space", actor)

    def _space(self, which: str, actor: Any) -> Any:
        core = self.core
        ask = getattr(core, f"get_{which}", None)
        if callable(ask):
            return ask(actor)
        for spaces in (getattr(core, f"{which}s", None), getattr(core, which, None)):
            known = getattr(spaces, "spaces", spaces)
            if isinstance(known, dict) and actor in known:
                return known[actor]
        return getattr(core, which, None)
