"""PettingZoo environments being re-simulated: every agent's rewards, ends and observations are compared.

Compared where the recorder looked: an AEC agent's step at its next turn, or when everybody is dead;
observations only where the script asked for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional

from mosaic_worker.replay.compare import Difference, difference, flags_of, of_step
from mosaic_worker.replay.decode import live
from mosaic_worker.replay.sims import Found, Sim
from mosaic_worker.session.worlds.zoo import AecWorld, ParallelWorld

if TYPE_CHECKING:
    from mosaic_worker.replay.units import Unit

__all__ = ["AecSim", "ParallelSim"]


class _ZooSim(Sim):
    def _named(self) -> Dict[str, Any]:
        return {str(agent): agent for agent in self.env.agents}


class ParallelSim(_ZooSim):
    """All agents at once. A turn is `{agent: [action, reward, flags, obs]}`."""

    def __init__(self, env: Any) -> None:
        super().__init__(ParallelWorld(env))

    def _began(self, unit: Unit) -> Found:
        now = {str(agent): outcome.observation for agent, outcome in self.world.look().items()}
        pairs = [(name, difference(was, now.get(name))) for name, was in (unit.first or {}).items()]
        return [(name, one) for name, one in pairs if one is not None]

    def _step(self, unit: Unit, turn: Any) -> Found:
        agents = self._named()
        self.world.step(
            {
                agents[name]: live(was[0], self.world.action_space(agents[name]))
                for name, was in turn.items()
                if name in agents
            }
        )
        seen = self.world.look()
        found: Found = [
            (name, {"what": "agent", "recorded": "taking part", "now": "gone"})
            for name in turn
            if name not in agents
        ]
        for name, was in turn.items():
            agent = agents.get(name)
            if agent is None:
                continue
            now = seen[agent]
            one = of_step(was[1:], now.observation, now.reward, flags_of(now.terminated, now.truncated))
            if one is not None:
                found.append((name, one))
        return found


class AecSim(_ZooSim):
    """One agent after the other. A turn is `[agent, action]`, or None for the step of a dead one.

    `unit.agents` has, for each agent, `first` (what it observed when it joined) and `steps`
    (`[reward, flags, obs]` in the order it made them); and `open`, if nobody wrote how its episode ended.
    What such a one got for its last step came after moves that are not in the record: it is not compared.
    """

    world: AecWorld

    def __init__(self, env: Any) -> None:
        super().__init__(AecWorld(env))

    def _acted(self, turn: Any) -> Any:
        return turn[1]

    def _began(self, unit: Unit) -> Found:
        self.books = {"joined": [], "waiting": {}, "settled": {}}
        return []

    def _step(self, unit: Unit, turn: Any) -> Found:
        agent = self.world.selected
        name = str(agent)
        found: Found = []
        if turn is not None and turn[0] != name:
            found.append((turn[0], {"what": "turn", "recorded": turn[0], "now": name}))
        if not self.world.dead(agent) or turn is not None:
            found += self._look(unit, agent)
        dead = turn is None or self.world.dead(agent)
        self.world.step({} if dead else {agent: live(turn[1], self.world.action_space(agent))})
        if turn is not None:
            self.books["waiting"][name] = self.turn
        over = all(self.world.dead(one) for one in self.env.agents)
        if over or self.turn + 1 == len(unit.turns):
            for waiting in list(self.books["waiting"]):
                if over or not unit.agents.get(waiting, {}).get("open"):
                    found += self._settle(unit, waiting, self._named().get(waiting))
        return found

    def _look(self, unit: Unit, agent: Any) -> Found:
        name = str(agent)
        if name in self.books["waiting"]:
            return self._settle(unit, name, agent)
        expected = unit.agents.get(name)
        if expected is None or name in self.books["joined"]:
            return []
        self.books["joined"].append(name)
        return self._told(name, self._observed(expected["first"], agent))

    def _settle(self, unit: Unit, name: str, agent: Any) -> Found:
        at = self.books["waiting"].pop(name)
        number = self.books["settled"].get(name, 0)
        self.books["settled"][name] = number + 1
        steps = unit.agents.get(name, {}).get("steps", ())
        if number >= len(steps) or agent is None:
            return []
        reward, flags, obs = steps[number]
        rewards = self.world.book("_cumulative_rewards") or {}
        now = flags_of(self.world.book("terminations").get(agent), self.world.book("truncations").get(agent))
        one = of_step([reward, flags, None], None, rewards.get(agent, 0.0), now)
        one = one if one is not None else self._observed(obs, agent)
        return [] if one is None else [(name, {**one, "at": at})]  # what differs came of the turn it acted in

    def _observed(self, expected: Any, agent: Any) -> Optional[Difference]:
        return None if expected is None else difference(expected, self.world.observe(agent))

    def _told(self, name: str, one: Optional[Difference]) -> Found:
        return [] if one is None else [(name, one)]
