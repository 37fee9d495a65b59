"""The scene of an environment, found by its id, PettingZoo's name for it, or its class.

A maker is a function `(env, actor, last) -> Scene` that is given the innermost environment. Ours are the
table below; those of others are entry points of the group `mosaic.scenes`, whose name is an id with or
without version (`MyGrid-v0`, `MyGrid`), a PettingZoo name (`chess_v6`, `chess`) or a class (`MiniGridEnv`).
Theirs come first. A maker that fails is said once, and its environment has no scene.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import re
from typing import Any, Callable, Dict, Iterator, Optional

from mosaic_worker import report
from mosaic_worker.common.scene import Scene
from mosaic_worker.layers import layers

__all__ = ["GROUP", "Maker", "names_of", "scene_of"]

GROUP = "mosaic.scenes"
Maker = Callable[[Any, Any, Optional[int]], Scene]

_OURS = {
    "FrozenLake": "frozen_lake", "FrozenLakeEnv": "frozen_lake",
    "CliffWalking": "cliff_walking", "CliffWalkingEnv": "cliff_walking",
    "Taxi": "taxi", "TaxiEnv": "taxi",
    "MiniGridEnv": "minigrid",
    "tictactoe": "tictactoe",
    "connect_four": "connect_four",
    "chess": "chess",
    "go": "go",
}  # fmt: skip
_VERSION = re.compile(r"[-_]v\d+\Z")


def scene_of(env: Any, actor: Any = None, last: Optional[int] = None) -> Optional[Scene]:
    """What is there now, or None where nobody knows how to tell.

    Args:
        env: any environment, wrapped or not; of a vector environment that holds its environments, `actor` is
            the position.
        actor: for whose eyes: only its own moves are offered, and its side of a board is below. None shows
            the moves of whoever decides now.
        last: the action that led here, as the one who stepped knows it; not every environment remembers.
    """
    inner = getattr(env, "envs", None)
    if isinstance(actor, int) and isinstance(inner, (list, tuple)) and 0 <= actor < len(inner):
        env, actor = inner[actor], None
    core = layers(env)[-1] if hasattr(env, "__dict__") else env
    for name in names_of(env, core):
        with report.guard(f"the scene of {name}"):
            maker = _maker(name)
            if maker is not None:
                return maker(core, actor, None if last is None else int(last))
    return None


def names_of(env: Any, core: Any) -> Iterator[str]:
    """The names an environment may be known by, the most particular first."""
    given = []
    spec = getattr(env, "spec", None) or getattr(core, "spec", None)
    given.append(getattr(spec, "id", None))
    metadata = getattr(core, "metadata", None)
    given.append(metadata.get("name") if isinstance(metadata, dict) else None)
    for name in given:
        if isinstance(name, str) and name:
            yield name
            bare = _VERSION.sub("", name)
            if bare != name:
                yield bare
    for kind in type(core).__mro__[:-1]:
        yield kind.__name__


@functools.lru_cache(maxsize=256)
def _maker(name: str) -> Optional[Maker]:
    theirs = _entry_points().get(name)
    if theirs is not None:
        found: Maker = theirs.load()
        return found
    module = _OURS.get(name)
    if module is None:
        return None
    ours: Maker = importlib.import_module(f"mosaic_worker.scenes.{module}").scene
    return ours


@functools.lru_cache(maxsize=1)  # reading what is installed takes milliseconds
def _entry_points() -> Dict[str, Any]:
    found: Any = importlib.metadata.entry_points()
    chosen = found.select(group=GROUP) if hasattr(found, "select") else found.get(GROUP, ())  # before 3.10
    return {one.name: one for one in chosen}
