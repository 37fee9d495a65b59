"""What RLlib's `Algorithm` says of itself: the numbers of each `train()`, and the folders it saves to.

A number is recorded under its path in the result, at the algorithm's own iteration. The settings that a
result repeats every time are left out. What its parts save into that folder is not listed on its own.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Tuple

from mosaic_worker import hooks
from mosaic_worker.hooks.checkpoints import SAVES
from mosaic_worker.hooks.nesting import wrap
from mosaic_worker.hooks.scalars import flatten, whole
from mosaic_worker.hooks.tensorboard import METRICS

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["register"]

_SETTINGS = "config"
_ITERATION = "training_iteration"
_Args = Tuple[Any, ...]
_Kwargs = Dict[str, Any]


def register(recorder: Recorder) -> None:
    """Hook the algorithm, when the script imports it."""
    hooks.on_import("ray.rllib.algorithms.algorithm", lambda module: _hook(module.Algorithm, recorder))


def _hook(algorithm: Any, recorder: Recorder) -> None:
    def trained(_: Any, result: Any, __: _Args, ___: _Kwargs) -> None:
        with recorder.guard("rllib.train"):
            if isinstance(result, Mapping):
                step = whole(result.get(_ITERATION))
                for name, value in flatten({k: v for k, v in result.items() if k != _SETTINGS}):
                    recorder.metric(name, value, step=step, source="rllib")

    def saved(_: Any, result: Any, args: _Args, ___: _Kwargs) -> None:
        with recorder.guard("rllib.save"):
            checkpoint = getattr(result, "checkpoint", result)
            _list(recorder, getattr(checkpoint, "path", checkpoint), args[0])

    wrap(algorithm, "train", METRICS, trained)
    for name in ("save", "save_to_path"):
        if hasattr(algorithm, name):  # the second came with Ray 2.40
            wrap(algorithm, name, SAVES, saved)


def _list(recorder: Recorder, path: Any, algorithm: Any) -> None:
    if isinstance(path, (str, os.PathLike)) and os.path.isdir(path):  # not one on another machine
        step: Optional[int] = whole(getattr(algorithm, _ITERATION, None))
        recorder.listing.saved_folder(path, kind="rllib", step=step)
