"""Snapshots of an environment, put back in place. Only where everything in it can be copied.

The attributes of every layer are copied, not the layers themselves: an environment's own `__deepcopy__` may
well make a fresh one. What its world remembers is copied with them, so that whoever plays on from a snapshot
sees what was seen there. What draws (windows, surfaces, renderers) is shared by all snapshots; simulators
have copies of their own.
"""

from __future__ import annotations

import copy
import types
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

if TYPE_CHECKING:
    from mosaic_worker.replay.sims import Sim

__all__ = ["Keyframe", "UncopyableError", "capture"]

_SHARED = (
    "pygame",
    "glfw",
    "OpenGL",
    "mujoco",
    "ale_py",
    "gymnasium.envs.mujoco",
    "gymnasium.spaces",
    "gym.spaces",
)
_SHARED_NAMES = ("EnvSpec", "PygameEnvironment")
_REFUSED = ("Box2D", "_thread", "multiprocessing", "socket", "subprocess", "pybullet", "pymunk", "vizdoom")
_INNER = ("env", "aec_env", "par_env")
_MAX_LAYERS = 32
_MAX_DEPTH = 4
_NOT_COPIED = (TypeError, ValueError, AttributeError, NotImplementedError, RuntimeError, RecursionError)

Restore = Callable[[], None]
_Saved = Tuple[List[Dict[str, Any]], Dict[str, Any], Dict[str, Any]]
"""The attributes of every layer, the state of the world, the books of the comparison."""


class UncopyableError(Exception):
    """Something in the environment has no copy."""


class Keyframe:
    """An environment as it stood after `turn` turns."""

    def __init__(self, sim: Sim) -> None:
        self.turn = sim.turn
        self._layers = _layers(sim.env)
        shared: Dict[int, Any] = {id(layer): layer for layer in self._layers}
        self._simulators: List[Restore] = []
        state = sim.world.state()
        for attributes in (*map(vars, self._layers), state):
            for value in attributes.values():
                self._share(value, shared, 0)
        self._shared = shared
        self._saved = self._copied(([vars(layer) for layer in self._layers], state, sim.books))

    def put_back(self, sim: Sim) -> None:
        """Make the environment what it was."""
        attributes, state, books = self._copied(self._saved)
        for layer, saved in zip(self._layers, attributes):  # noqa: B905  (3.8 has no strict)
            mine = vars(layer)
            mine.clear()
            mine.update(saved)
        for restore in self._simulators:
            restore()
        sim.world.restore(state)
        sim.turn, sim.books = self.turn, books

    def _copied(self, saved: _Saved) -> _Saved:
        memo = dict(self._shared)
        try:
            return copy.deepcopy(saved, memo)
        except _NOT_COPIED as error:
            raise UncopyableError(str(error)) from error

    def _share(self, value: Any, shared: Dict[int, Any], depth: int) -> None:
        kind = type(value)
        module = kind.__module__ or ""
        if module.startswith(_REFUSED):
            raise UncopyableError(f"{module}.{kind.__qualname__}")
        if (
            module.startswith(_SHARED)
            or kind.__name__ in _SHARED_NAMES
            or isinstance(value, types.ModuleType)
        ):
            if id(value) not in shared:
                shared[id(value)] = value
                self._simulators.extend(_simulator(value))
            return
        if depth < _MAX_DEPTH:
            if isinstance(value, dict):
                for item in value.values():
                    self._share(item, shared, depth + 1)
            elif isinstance(value, (list, tuple, set)) and len(value) < 4096:
                for item in value:
                    self._share(item, shared, depth + 1)


def _simulator(value: Any) -> List[Restore]:
    """How to put a simulator back into its present state, for those that are shared."""
    if type(value).__name__ == "MjData":
        import mujoco

        model = value.model if hasattr(value, "model") else None
        if model is None:
            raise UncopyableError("MjData without its model")
        saved = mujoco.MjData(model)
        mujoco.mj_copyData(saved, model, value)
        return [lambda: _copy_data(value, model, saved)]
    if hasattr(value, "cloneState") and hasattr(value, "restoreState"):
        state = value.cloneState(include_rng=True)
        return [lambda: value.restoreState(state)]
    return []


def _copy_data(target: Any, model: Any, saved: Any) -> None:
    import mujoco

    mujoco.mj_copyData(target, model, saved)


def _layers(env: Any) -> List[Any]:
    found = [env]
    while len(found) < _MAX_LAYERS:
        held = getattr(found[-1], "__dict__", {})
        below = next((held[name] for name in _INNER if hasattr(held.get(name), "step")), None)
        if below is None:
            return found
        found.append(below)
    raise UncopyableError(f"more than {_MAX_LAYERS} layers")


def capture(sim: Sim) -> Optional[Keyframe]:
    """A snapshot of where the environment stands, or None where it allows none."""
    try:
        return Keyframe(sim)
    except UncopyableError:
        return None
