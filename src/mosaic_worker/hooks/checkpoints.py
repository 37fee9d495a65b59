"""What a script saves its policy to, listed and hashed after each save. Never loads one, never writes one.

Always listed: what torch, TorchScript, safetensors, d3rlpy and `VecNormalize` save. What is saved with a tool
for anything (numpy, pickle, joblib, cloudpickle, dill) is listed when it looks like a policy: `weights` has
the rule. A save to memory leaves no file and is not listed, also when the script writes those bytes to a file
later. A save inside a save counts once, as the outer one.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Optional, Tuple

from mosaic_worker import hooks
from mosaic_worker.hooks.nesting import Nesting, argument, wrap
from mosaic_worker.hooks.standing_in import stand_in
from mosaic_worker.hooks.weights import holds_policy, is_hidden
from mosaic_worker.listing import path_of

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["SAVES", "register"]

SAVES = Nesting()
_Args = Tuple[Any, ...]
_Kwargs = Dict[str, Any]

_SAVING = (
    ("torch", "save", 1, "f"),
    ("torch.jit._serialization", "save", 1, "f"),
    ("safetensors.torch", "save_file", 1, "filename"),
    ("safetensors.torch", "save_model", 1, "filename"),
    ("safetensors.numpy", "save_file", 1, "filename"),
    ("safetensors.flax", "save_file", 1, "filename"),
    ("lightning.fabric.utilities.cloud_io", "_atomic_save", 1, "filepath"),  # by way of memory
    ("lightning_fabric.utilities.cloud_io", "_atomic_save", 1, "filepath"),
)
"""Functions that save weights: module, name, where and under which name they take the file."""
_DUMPING = (
    ("joblib.numpy_pickle", "dump", 1, "filename"),
    ("cloudpickle.cloudpickle", "dump", 1, "file"),
    ("dill._dill", "dump", 1, "file"),
)
"""The same of functions that save anything."""


def register(recorder: Recorder) -> None:
    """Hook the functions that save, each when the script imports it."""
    for module, name, position, target in _SAVING:
        hooks.on_import(module, _hook(recorder, name, position, target))
    for module, name, position, target in _DUMPING:
        hooks.on_import(module, _hook(recorder, name, position, target, anything=True))
    hooks.on_import("pickle", lambda module: _hook_pickle(module, recorder))
    for module in ("numpy.lib._npyio_impl", "numpy.lib.npyio"):  # numpy 2, numpy 1
        hooks.on_import(module, lambda found: _hook_numpy(found, recorder))
    hooks.on_import("torch.jit._script", lambda module: _hook_script_module(module, recorder))
    hooks.on_import("d3rlpy.base", lambda module: _hook(recorder, "save", 1, "fname")(module.LearnableBase))
    hooks.on_import(
        "stable_baselines3.common.vec_env.vec_normalize",
        lambda module: _hook(recorder, "save", 1, "save_path", kind="vecnormalize")(module.VecNormalize),
    )


def _hook(
    recorder: Recorder,
    name: str,
    position: int,
    target: str,
    *,
    kind: Optional[str] = None,
    anything: bool = False,
) -> Callable[[Any], None]:
    """What hooks `owner.name`, a function that saves its first argument, weights or anything, to `target`."""

    def install(owner: Any) -> None:
        if not hasattr(owner, name):
            return
        said = kind or (getattr(owner, "__module__", None) or owner.__name__).partition(".")[0]

        def after(_: Any, __: Any, args: _Args, kwargs: _Kwargs) -> None:
            with recorder.guard("checkpoints." + said):
                given = argument(args, kwargs, position, target)
                if not anything or _is_policy(recorder, given, value=args[0] if args else None):
                    recorder.listing.saved(given, kind=said)

        wrap(owner, name, SAVES, after)

    return install


def _is_policy(recorder: Recorder, given: Any, *, value: Any = None, names: Iterable[str] = ()) -> bool:
    path = path_of(given)
    if path is None or is_hidden(path, at_home=(recorder.run_dir, os.getcwd())):
        return False
    return holds_policy(path, value, names)


def _hook_pickle(module: Any, recorder: Recorder) -> None:
    def dump(original: Any, args: _Args, kwargs: _Kwargs) -> None:
        original(*args, **kwargs)
        if SAVES.depth and SAVES.holds():
            return
        with recorder.guard("checkpoints.pickle"):
            given = argument(args, kwargs, 1, "file")
            if _is_policy(recorder, given, value=argument(args, kwargs, 0, "obj")):
                recorder.listing.saved(given, kind="pickle")

    stand_in(module, "dump", dump)


def _hook_numpy(module: Any, recorder: Recorder) -> None:
    def hook(name: str) -> None:
        suffix = ".npy" if name == "save" else ".npz"

        def after(_: Any, __: Any, args: _Args, kwargs: _Kwargs) -> None:
            with recorder.guard("checkpoints.numpy"):
                given = argument(args, kwargs, 0, "file")
                if isinstance(given, (str, os.PathLike)) and not os.fspath(given).endswith(suffix):
                    given = os.fspath(given) + suffix  # as numpy adds it
                if _is_policy(recorder, given, names=kwargs if name != "save" else ()):
                    recorder.listing.saved(given, kind="numpy")

        wrap(module, name, SAVES, after)

    for name in ("save", "savez", "savez_compressed"):
        if hasattr(module, name):
            hook(name)


def _hook_script_module(module: Any, recorder: Recorder) -> None:
    for name in ("RecursiveScriptModule", "ScriptModule", "ScriptFunction"):
        if "save" in vars(getattr(module, name, object)):
            _hook(recorder, "save", 1, "f")(getattr(module, name))
