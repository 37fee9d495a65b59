"""Environments that return dicts by agent being re-simulated: what the recorder would write is compared.

The rule that says when an agent's step is complete is the recorder's own (`mosaic_worker.settling`); here its
listener notes what is complete, and every turn's notes are compared with the record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

from mosaic_worker.replay.compare import difference, flags_of, of_step
from mosaic_worker.replay.decode import live
from mosaic_worker.replay.sims import Found, Sim
from mosaic_worker.session.worlds.dicts import DictWorld
from mosaic_worker.settling import Listener, Settling

if TYPE_CHECKING:
    from mosaic_worker.replay.units import Unit
    from mosaic_worker.rewards import Reward

__all__ = ["DictSim"]

_JOINED = -1


class _Heard(NamedTuple):
    """Something complete: the `number`-th step of an episode, or that an agent joined (`_JOINED`)."""

    agent: str
    episode: str
    number: int
    turn: int
    obs: Any
    reward: Any = 0.0
    flags: int = 0


class _Played:
    """Where an agent stands in its episode."""

    def __init__(self, episode: str) -> None:
        self.episode = episode
        self.steps = self.turn = 0
        self.acted = False


class _Notes(Listener):
    """Names episodes as the recorder does, and notes what became complete in this turn."""

    def __init__(self) -> None:
        self.turn = 0
        self.heard: List[_Heard] = []
        self.steps: Dict[str, int] = {}
        """How many steps every episode has had."""
        self._open: Dict[Any, _Played] = {}
        self._times: Dict[Any, int] = {}

    @property
    def open(self) -> List[Any]:
        return list(self._open)

    def track(self, agent: Any) -> Optional[_Played]:
        return self._open.get(agent)

    def join(self, agent: Any, obs: Any, *, again: bool = False) -> Optional[_Played]:
        times = self._times.get(agent, 0)
        if times and not again:
            return None
        self._times[agent] = times + 1
        played = self._open[agent] = _Played(f"{agent}~{times}" if times else str(agent))
        self.steps[played.episode] = 0
        self.heard.append(_Heard(str(agent), played.episode, _JOINED, self.turn, obs))
        return played

    def act(self, agent: Any, action: Any, turn: int) -> None:
        played = self._open[agent]
        played.acted, played.turn = True, turn

    def step(self, agent: Any, reward: Reward, obs: Any, *, terminated: bool, truncated: bool) -> None:
        played = self._open[agent]
        if played.acted:
            given = reward.value if reward.components is None else reward.components
            flags = flags_of(terminated, truncated)
            done = _Heard(str(agent), played.episode, played.steps, played.turn, obs, given, flags)
            self.heard.append(done)
            played.steps += 1
            played.acted = False
            self.steps[played.episode] = played.steps
        if terminated or truncated:
            del self._open[agent]


class DictSim(Sim):
    """A value per agent. A turn is `{agent: action}`.

    `unit.agents` has, for each episode (an agent's name, with `~1` when it came back), `first` (what the
    agent observed when it joined) and `steps` (`[reward, flags, obs]` in the order it made them).
    """

    world: DictWorld

    def __init__(self, env: Any) -> None:
        super().__init__(DictWorld(env))

    def _began(self, unit: Unit) -> Found:
        notes = _Notes()
        self.books = {"notes": notes, "settling": Settling(notes), "names": {}}
        self.books["settling"].begin(self.world.values[0])
        return self._compared(unit)

    def _step(self, unit: Unit, turn: Any) -> Found:
        names: Dict[str, Any] = self.books["names"]
        actions = {}
        for name, action in turn.items():
            agent = names.get(name, name)  # it may act before it was shown anything
            actions[agent] = live(action, self.world.action_space(agent))
        self.world.step(actions)
        self.books["settling"].stepped(actions, *self.world.values)
        last = self.turn + 1 == len(unit.turns)
        if last:
            self.books["settling"].settle()
        return self._compared(unit) + (self._missing(unit) if last else [])

    def _compared(self, unit: Unit) -> Found:
        self.books["names"].update({str(agent): agent for agent in self.world.values[0]})
        notes: _Notes = self.books["notes"]
        found: Found = []
        for one in notes.heard:
            expected = unit.agents.get(one.episode)
            if expected is None:
                continue  # one that joined, and never acted before the record ended
            differs = None
            if one.number == _JOINED:
                differs = difference(expected["first"], one.obs)
            elif one.number < len(expected["steps"]):
                differs = of_step(expected["steps"][one.number], one.obs, one.reward, one.flags)
            if differs is not None:
                found.append(
                    (one.agent, {**differs, "at": one.turn if one.number != _JOINED else one.turn - 1})
                )
        notes.heard = []
        return found

    def _missing(self, unit: Unit) -> Found:
        """Recorded steps that did not come: an agent took less part than it did."""
        pairs: List[Tuple[str, int, int]] = [
            (episode, len(expected["steps"]), self.books["notes"].steps.get(episode, 0))
            for episode, expected in unit.agents.items()
        ]
        return [
            (str(unit.agents[episode]["agent"]), {"what": "steps", "recorded": str(was), "now": str(now)})
            for episode, was, now in pairs
            if now < was
        ]
