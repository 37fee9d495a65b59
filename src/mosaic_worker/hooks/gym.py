"""OpenAI gym 0.21 and later, by duck typing: the old four values of `step` and the new five."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic_worker.hooks.envs import EnvHooks
from mosaic_worker.hooks.making import watch_core, watch_registration

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["register"]


def register(recorder: Recorder) -> None:
    """Watch for gym."""
    hooks = EnvHooks(recorder, "gym")
    watch_core(hooks)
    watch_registration(hooks)
