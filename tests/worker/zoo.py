"""Small PettingZoo environments, as a user would write them. For scripts under test, and for the worlds."""

from __future__ import annotations

from typing import Any

from gymnasium.spaces import Discrete
from pettingzoo import AECEnv, ParallelEnv


class Counting(AECEnv):  # type: ignore[misc]
    """Agents take turns; an action pays its agent. `deaths` says who dies at which turn."""

    metadata = {"name": "counting_v0", "is_parallelizable": False}  # noqa: RUF012  (PettingZoo's way)

    def __init__(
        self, names: tuple[str, ...] = ("a", "b"), deaths: dict[str, int] | None = None, turns: int = 6
    ) -> None:
        super().__init__()
        self.possible_agents = list(names)
        self.deaths, self.turns = deaths or {}, turns
        self.render_mode = None

    def observation_space(self, agent: str) -> Any:
        return Discrete(100)

    def action_space(self, agent: str) -> Any:
        return Discrete(10)

    def observe(self, agent: str) -> int:
        return self.turn * 10 + self.possible_agents.index(agent)

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        self.agents = list(self.possible_agents)
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self.turn = 0

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action == 9:
            raise ValueError("nine is not allowed")
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self.rewards[agent] = action
        for other in self.agents:
            if other != agent:
                self.rewards[other] = 0.25  # everyone else gains a little whenever somebody acts
        self.turn += 1
        for name, turn in self.deaths.items():
            if turn == self.turn and name in self.agents:
                self.terminations[name] = True
        if self.turn >= self.turns:
            self.truncations = dict.fromkeys(self.agents, True)
        order = self.agents
        self.agent_selection = order[(order.index(agent) + 1) % len(order)]
        self._accumulate_rewards()
        self._deads_step_first()


class Growing(ParallelEnv):  # type: ignore[misc]
    """Begins with one agent; a second one appears after two steps, and the first one ends after three."""

    metadata = {"name": "growing_v0"}  # noqa: RUF012
    possible_agents = ["first", "second"]  # noqa: RUF012
    render_mode = None

    def observation_space(self, agent: str) -> Any:
        return Discrete(100)

    def action_space(self, agent: str) -> Any:
        return Discrete(10)

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.agents, self.turn = ["first"], 0
        return {"first": 0}, {"first": {}}

    def step(self, actions: dict[str, int]) -> Any:
        self.turn += 1
        present = list(self.agents)
        if self.turn == 2:
            self.agents.append("second")
        ended = {agent: agent == "first" and self.turn == 3 for agent in present}
        self.agents = [agent for agent in self.agents if not ended.get(agent)]
        seen = dict.fromkeys({*present, *self.agents}, self.turn)
        rewards = {agent: actions[agent] * 0.5 for agent in present}
        return seen, rewards, ended, dict.fromkeys(present, False), {agent: {} for agent in seen}


class Leaving(ParallelEnv):  # type: ignore[misc]
    """Two agents; `b` is taken out in the first step without a flag, `a` ends after three."""

    metadata = {"name": "leaving_v0"}  # noqa: RUF012
    possible_agents = ["a", "b"]  # noqa: RUF012
    render_mode = None

    def observation_space(self, agent: str) -> Any:
        return Discrete(100)

    def action_space(self, agent: str) -> Any:
        return Discrete(10)

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.agents, self.turn = ["a", "b"], 0
        return dict.fromkeys(self.agents, 0), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> Any:
        self.turn += 1
        present, over = list(self.agents), self.turn == 3
        self.agents = [] if over else ["a"]
        rewards = {agent: float(actions[agent]) for agent in present}
        infos: dict[str, Any] = {agent: {} for agent in present}
        return (
            dict.fromkeys(present, self.turn),
            rewards,
            dict.fromkeys(present, over),
            dict.fromkeys(present, False),
            infos,
        )
