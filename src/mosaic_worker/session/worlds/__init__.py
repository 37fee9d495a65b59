"""The worlds there are, by kind. The only modules of MOSAIC that step an environment."""

from __future__ import annotations

from typing import Any

from mosaic_worker.session.worlds.base import World
from mosaic_worker.session.worlds.single import SingleWorld

__all__ = ["KINDS", "SingleWorld", "World", "world_of"]

KINDS = ("single", "vector", "aec", "parallel", "dicts")


def world_of(env: Any, kind: str = "single") -> World:
    """An environment as a world.

    Args:
        env: the environment.
        kind: its interface, one of `KINDS`.

    Raises:
        ValueError: there is no such kind.
    """
    if kind == "single":
        return SingleWorld(env)
    if kind == "vector":
        from mosaic_worker.session.worlds.vector import VectorWorld

        return VectorWorld(env)
    if kind not in KINDS:
        raise ValueError(f"there is no world of kind {kind!r}; there are: {', '.join(KINDS)}")
    if kind == "dicts":
        from mosaic_worker.session.worlds.dicts import DictWorld

        return DictWorld(env)
    from mosaic_worker.session.worlds import zoo

    return zoo.AecWorld(env) if kind == "aec" else zoo.ParallelWorld(env)
