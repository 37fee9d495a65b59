"""A framework with Stable-Baselines3's interface: its classes, and where weights lie in a checkpoint."""

from __future__ import annotations

import importlib
from typing import IO, Any, Callable, Dict, NamedTuple, Tuple

from mosaic_worker.drivers.kit.command import Refused, Words

__all__ = ["MASKABLE", "Family", "class_of"]


MASKABLE = "maskable_ppo"
"""The one algorithm that must be told which actions are possible."""


class Family(NamedTuple):
    """One framework with this interface."""

    runner: str
    classes: Dict[str, Tuple[str, str]]
    """By algorithm id: the module and the class."""
    take_weights: Callable[[Any, Any, IO[bytes]], None]
    """`take_weights(model, class, file)`: the weights of a checkpoint, and nothing else of it."""


def class_of(words: Words, family: Family) -> Any:
    """The class of the algorithm a job names; imports the framework.

    Raises:
        Refused: there is no such algorithm.
    """
    if words.algo not in family.classes:
        raise Refused(f"{family.runner} has no algorithm {words.algo!r}. It has: {', '.join(family.classes)}")
    module, name = family.classes[words.algo]
    return getattr(importlib.import_module(module), name)
