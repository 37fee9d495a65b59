"""Follows what was saved when the script renames, moves or copies it. Changes nothing about how it does so.

`os.rename` and `os.replace` see what pathlib, shutil and tempfile do as well. A rename by another program, or
of something that no hook saw being saved, means nothing to us.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Dict, Tuple

from mosaic_worker import hooks
from mosaic_worker.hooks.nesting import Nesting, argument, wrap
from mosaic_worker.hooks.standing_in import stand_in

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["register"]

_ORBAX = ".orbax-checkpoint-tmp"
"""In the name of a folder that Orbax writes into. It has its real name only when all of it is there."""
_MOVES = Nesting()
_Args = Tuple[Any, ...]
_Kwargs = Dict[str, Any]


def register(recorder: Recorder) -> None:
    """Stand before the two calls that rename, and see shutil's when the script imports it."""

    def rename(original: Any, args: _Args, kwargs: _Kwargs) -> None:
        original(*args, **kwargs)
        if kwargs.get("src_dir_fd") is None and kwargs.get("dst_dir_fd") is None:
            with recorder.guard("checkpoints.rename"):
                _renamed(recorder, argument(args, kwargs, 0, "src"), argument(args, kwargs, 1, "dst"))

    # Before Python 3.11 pathlib keeps the two in a class, maybe since before we came.
    accessor = getattr(sys.modules.get("pathlib"), "_NormalAccessor", None)
    for owner in (os, accessor) if accessor is not None else (os,):
        for name in ("rename", "replace"):
            stand_in(owner, name, rename)
    hooks.on_import("shutil", lambda module: _hook_shutil(module, recorder))


def _renamed(recorder: Recorder, source: Any, target: Any) -> None:
    recorder.listing.moved(source, target)
    folder, name = os.path.split(os.fsdecode(source))
    # An item of a checkpoint is finished inside the folder of the whole, which is still being written.
    if _ORBAX in name and _ORBAX not in folder and os.path.isdir(target):
        recorder.listing.saved_folder(target, kind="orbax")


def _hook_shutil(module: Any, recorder: Recorder) -> None:
    def moved(_: Any, result: Any, args: _Args, kwargs: _Kwargs) -> None:
        with recorder.guard("checkpoints.move"):  # across file systems no rename was called
            recorder.listing.moved(argument(args, kwargs, 0, "src"), result)

    def copied(_: Any, result: Any, args: _Args, kwargs: _Kwargs) -> None:
        with recorder.guard("checkpoints.copy"):
            recorder.listing.copied(argument(args, kwargs, 0, "src"), result)

    wrap(module, "move", _MOVES, moved)
    wrap(module, "copyfile", _MOVES, copied)  # `copy` and `copy2` call it
