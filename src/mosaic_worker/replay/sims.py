"""Worlds being re-simulated, one class per kind. Each step is compared with the record; the world steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from mosaic_worker.arguments import decoded
from mosaic_worker.common import redact
from mosaic_worker.replay.compare import Difference, difference, flags_of, of_step
from mosaic_worker.replay.decode import live, tensors
from mosaic_worker.scenes.by_id import scene_of
from mosaic_worker.session.outcome import BEGAN, RESTARTED, SOLE
from mosaic_worker.session.worlds import SingleWorld, world_of

if TYPE_CHECKING:
    from mosaic_worker.common.scene import Scene
    from mosaic_worker.replay.units import Unit
    from mosaic_worker.session.worlds import World

__all__ = ["Found", "Sim", "SingleSim", "VectorSim", "alone"]

Found = List[Tuple[str, Difference]]
"""Differences, each with whose it is: an agent, a position, or nobody in particular ("")."""


class Sim:
    """One world, stepped as recorded. `turn` counts the steps since the reset of the unit."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.turn = 0
        self.tensors = False
        """Whether arrays in actions are given as tensors of torch, as the script gave them."""
        self.books: Dict[str, Any] = {}
        """What comparing has to remember between turns; part of every keyframe."""
        self.found: Found = []
        """How the last turn differed, for whoever asks for it again."""

    @property
    def env(self) -> Any:
        """The environment, as it was made."""
        return self.world.env

    def reset(self, unit: Unit) -> Found:
        """Begin a unit: restore the generator, reset, compare what is observed."""
        self.turn = 0
        self.books = {}
        self.found = []
        if not unit.called:
            return self.found
        for name, value in (unit.reset.get("attributes") or {}).items():
            if redact.marked(value):
                raise ValueError(f"its attribute {name!r} held a secret, and secrets are not recorded")
            setattr(self.core, name, decoded(value))
        options = unit.reset.get("options")
        if redact.marked(options):
            raise ValueError("the options of its reset held a secret, and secrets are not recorded")
        self.world.reset(
            seed=unit.reset.get("seed"),
            options=None if options is None else live(options),
            rng=unit.reset.get("rng"),
        )
        self.found = self._began(unit)
        return self.found

    @property
    def core(self) -> Any:
        """The innermost environment."""
        return self.world.core

    def step(self, unit: Unit) -> Found:
        """Play the next turn; what came of it that was not recorded so."""
        self.found = self._step(unit, unit.turns[self.turn])
        self.turn += 1
        return self.found

    def frame(self, focus: str) -> Any:
        """An RGB frame of how it stands; None when it gives none."""
        return self.world.draw(focus)

    def scene(self, unit: Unit) -> Optional[Scene]:
        """What is there now, for everybody's eyes; None where nobody knows how to tell."""
        turn = self.turn
        while turn > 0 and unit.turns[turn - 1] is None:  # the steps of dead agents are nobody's moves
            turn -= 1
        last = self._acted(unit.turns[turn - 1]) if turn > 0 else None
        return scene_of(self.env, last=last if type(last) is int else None)

    def close(self) -> None:
        """Let the environment go."""
        self.world.close()

    def _acted(self, turn: Any) -> Any:
        """The action of a turn, where it has one."""
        return None

    def _began(self, unit: Unit) -> Found:
        raise NotImplementedError

    def _step(self, unit: Unit, turn: Any) -> Found:
        raise NotImplementedError


def alone(found: Optional[Difference]) -> Found:
    """A difference that is nobody's in particular, or none."""
    return [] if found is None else [("", found)]


class SingleSim(Sim):
    """An environment of gymnasium or gym. A turn is `[action, reward, flags, obs]`."""

    world: SingleWorld

    def __init__(self, env: Any) -> None:
        super().__init__(SingleWorld(env))
        self._space = self.world.action_space()

    def _acted(self, turn: Any) -> Any:
        return turn[0]

    def _began(self, unit: Unit) -> Found:
        return alone(difference(unit.first, self.world.now.observation))

    def _step(self, unit: Unit, turn: Any) -> Found:
        action = turn[0]
        if type(action) is not int:
            action = live(action, self._space)
            action = tensors(action) if self.tensors else action
        self.world.step({SOLE: action})
        now = self.world.now
        return alone(of_step(turn[1:], now.observation, now.reward, flags_of(now.terminated, now.truncated)))


class VectorSim(Sim):
    """An environment vectorised in itself. A turn is `[[action…], [[reward, flags, obs, how, …]…]]`.

    A position that restarted by itself in this turn has only its observation to compare.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(world_of(env, "vector"))

    def _began(self, unit: Unit) -> Found:
        seen = self.world.look()
        found: Found = []
        for index, was in enumerate(unit.first or ()):
            one = difference(was, seen[index].observation)
            if one is not None:
                found.append((str(index), one))
        return found

    def _step(self, unit: Unit, turn: Any) -> Found:
        given, expected = turn
        space = self.world.action_space()
        self.world.step(
            {index: live(action, space) for index, action in enumerate(given) if action is not None}
        )
        seen = self.world.look()
        found: Found = []
        for index, was in enumerate(expected):
            if was is None:
                continue
            now = seen[index]
            if was[3] == BEGAN:
                one = difference(was[2], now.observation)
            else:
                last = now.last if was[3] == RESTARTED else now.observation
                one = of_step(was, last, now.reward, flags_of(now.terminated, now.truncated))
                if one is None and was[3] == RESTARTED:
                    one = difference(was[4], now.observation)
            if one is not None:
                found.append((str(index), one))
        return found
