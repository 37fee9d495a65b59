"""Gymnasium 0.29 and 1.x: environments from `make`, and those a script constructs itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic_worker.hooks.envs import EnvHooks
from mosaic_worker.hooks.making import watch_core, watch_registration

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["register"]


def register(recorder: Recorder) -> None:
    """Watch for gymnasium."""
    hooks = EnvHooks(recorder, "gymnasium")
    watch_core(hooks)
    watch_registration(hooks)
