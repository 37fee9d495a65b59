"""When an agent's step is complete, and what it is paid for it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from mosaic_worker.settling import Listener, Settling

if TYPE_CHECKING:
    from mosaic_worker.rewards import Reward


class Heard(Listener):
    """Writes down what it hears, and forgets agents that are over."""

    def __init__(self) -> None:
        self.turn = 0
        self.lines: list[tuple[Any, ...]] = []
        self._open: dict[Any, SimpleNamespace] = {}

    @property
    def open(self) -> list[Any]:
        return list(self._open)

    def track(self, agent: Any) -> Any:
        return self._open.get(agent)

    def join(self, agent: Any, obs: Any, *, again: bool = False) -> Any:
        self.lines.append(("join", agent, obs))
        self._open[agent] = SimpleNamespace(acted=False)
        return self._open[agent]

    def act(self, agent: Any, action: Any, turn: int) -> None:
        self._open[agent].acted = True

    def step(self, agent: Any, reward: Reward, obs: Any, *, terminated: bool, truncated: bool) -> None:
        self.lines.append(("step", agent, reward.value, obs, terminated, truncated))
        self._open[agent].acted = False
        if terminated or truncated:
            del self._open[agent]


def test_an_agent_is_paid_for_its_step_until_it_sees_again() -> None:
    heard = Heard()
    settling = Settling(heard)
    settling.begin({"a": 0})
    settling.stepped({"a": 7}, {"b": 1}, {"a": 1.0}, {}, {})
    settling.stepped({"b": 8}, {"a": 2}, {"a": 2.0, "b": 5.0}, {}, {})
    assert heard.lines == [("join", "a", 0), ("join", "b", 1), ("step", "a", 3.0, 2, False, False)]
    assert heard.turn == 2


def test_all_ends_everybody_whether_they_see_something_or_not() -> None:
    heard = Heard()
    settling = Settling(heard)
    settling.begin({"a": 0, "b": 0})
    settling.stepped({"a": 7, "b": 7}, {"a": 1}, {"a": 1.0}, {"a": True, "__all__": False}, {"__all__": True})
    assert heard.lines[2:] == [("step", "a", 1.0, 1, True, True), ("step", "b", 0.0, None, False, True)]
    assert heard.open == []


def test_an_action_that_waits_at_the_end_gets_what_has_come_of_it_so_far() -> None:
    heard = Heard()
    settling = Settling(heard)
    settling.begin({"a": 0, "b": 0})
    settling.stepped({"a": 7}, {}, {"a": 2.5}, {}, {})
    settling.settle()
    settling.settle()
    assert heard.lines[2:] == [("step", "a", 2.5, None, False, False)]
