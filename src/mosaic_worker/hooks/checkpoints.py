"""Files a script saves its policy to, listed and hashed after each save. Never loads one, never writes one.

Saves to streams leave no file and are not listed; a save inside a save counts once, as the outer one.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from mosaic_worker import hooks
from mosaic_worker.hooks.nesting import Nesting, argument, wrap

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["SAVES", "register", "regular_file"]

SAVES = Nesting()
_Args = Tuple[Any, ...]
_Kwargs = Dict[str, Any]


def register(recorder: Recorder) -> None:
    """Hook the functions that save, each when the script imports it."""
    hooks.on_import("torch", lambda module: _hook_function(module, "save", "f", recorder=recorder))
    hooks.on_import(
        "safetensors.torch", lambda module: _hook_function(module, "save_file", "filename", recorder=recorder)
    )


def _hook_function(module: Any, name: str, target: str, *, recorder: Recorder) -> None:
    """Hook a function of the shape `save(what, target)`."""
    kind = module.__name__.partition(".")[0]

    def after(_: Any, __: Any, args: _Args, kwargs: _Kwargs) -> None:
        with recorder.guard("checkpoints." + kind):
            path = regular_file(argument(args, kwargs, 1, target))
            if path is not None:
                recorder.checkpoint(path, kind=kind)

    wrap(module, name, SAVES, after)


def regular_file(target: Any) -> Optional[str]:
    """The absolute path of a target that is a file on disk; None for streams, devices and nothing at all."""
    if not isinstance(target, (str, os.PathLike)):
        return None
    path = os.path.abspath(os.fspath(target))
    return path if os.path.isfile(path) else None
