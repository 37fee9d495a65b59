"""Vector environments of other libraries (Tianshou, XuanCe, TorchRL): their members learn position and group.

They are made of single environments that are recorded on their own, in this process or another. Never
imports these libraries itself.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Type

from mosaic_worker import report
from mosaic_worker.hooks import on_import, on_import_prefix
from mosaic_worker.hooks.vector import position_members, positioned

if TYPE_CHECKING:
    from types import ModuleType

    from mosaic_worker.recorder import Recorder

__all__ = ["register", "takes_env_fns"]


def register(recorder: Recorder) -> None:
    """Watch for the libraries' vector environments."""
    on_import("tianshou.env.venvs", functools.partial(_position_all, recorder=recorder))
    on_import_prefix("xuance.environment.", functools.partial(_position_all, recorder=recorder))
    on_import("torchrl.envs.batched_envs", functools.partial(_position_batched, recorder=recorder))


def _position_all(module: ModuleType, *, recorder: Recorder) -> None:
    """Every class of a module that is made from a list of functions that make environments."""
    for cls in list(vars(module).values()):
        if isinstance(cls, type) and cls.__module__ == module.__name__ and takes_env_fns(cls):
            position_members(cls, recorder)


def takes_env_fns(cls: Type[Any]) -> bool:
    """Whether the class's own constructor takes `env_fns` first."""
    if "__init__" not in vars(cls):
        return False
    import inspect  # slow, and only needed with such a library

    return list(inspect.signature(cls.__init__).parameters)[1:2] == ["env_fns"]


def _position_batched(module: ModuleType, *, recorder: Recorder) -> None:
    cls = module.BatchedEnvBase
    raw = cls.__init__

    # After its own constructor: that looks whether all functions are the same one. They are called later.
    @functools.wraps(raw)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        raw(self, *args, **kwargs)
        with report.guard("torchrl members"):
            self.create_env_fn = positioned(self.create_env_fn, recorder)

    cls.__init__ = __init__
