"""Where environments come from: `make`, `register`, and new classes. The same in gym and gymnasium."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any, Type

from mosaic_worker import report
from mosaic_worker.hooks import on_import
from mosaic_worker.hooks.describe import note_registration
from mosaic_worker.hooks.envs import EnvHooks, inside

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["replace_function", "watch_core", "watch_registration"]


def watch_registration(hooks: EnvHooks) -> None:
    """Adopt what `make` returns, and note who registers which id."""

    def install(module: ModuleType) -> None:
        raw_make, raw_register = module.make, module.register

        @functools.wraps(raw_make)
        def make(*args: Any, **kwargs: Any) -> Any:
            with inside():  # an environment that resets itself while it is made has no episode yet
                env = raw_make(*args, **kwargs)
            with report.guard(f"{hooks.api}.make"):
                hooks.adopt(env)
            return env

        @functools.wraps(raw_register)
        def register(*args: Any, **kwargs: Any) -> Any:
            with report.guard(f"{hooks.api}.register"):
                env_id = args[0] if args else kwargs.get("id")
                caller = sys._getframe(1)  # noqa: SLF001  (who registers is what we want to know)
                note_registration(str(env_id), str(caller.f_globals.get("__name__")))
            return raw_register(*args, **kwargs)

        replace_function(hooks.api, module, "make", make)
        replace_function(hooks.api, module, "register", register)

    on_import(f"{hooks.api}.envs.registration", install)


def replace_function(api: str, module: ModuleType, name: str, ours: Any) -> None:
    """Put our function where the original is, also in the packages above that already hold it."""
    raw = getattr(module, name)
    for holder in (module, sys.modules.get(f"{api}.envs"), sys.modules.get(api)):
        if holder is not None and getattr(holder, name, None) is raw:
            setattr(holder, name, ours)


def watch_core(hooks: EnvHooks) -> None:
    """Notice every environment class as it is defined, so that instances need not come from `make`."""

    def install(module: ModuleType) -> None:
        base, wrapper = module.Env, module.Wrapper
        own = vars(base).get("__init_subclass__")

        def born(cls: Type[Any], /, **kwargs: Any) -> None:
            if own is not None:
                own.__func__(cls, **kwargs)
            else:
                super(base, cls).__init_subclass__(**kwargs)
            with report.guard(f"{hooks.api} class"):
                if not issubclass(cls, wrapper) and not is_vector(cls):
                    hooks.watch_constructed(cls, base)

        base.__init_subclass__ = classmethod(born)

    on_import(f"{hooks.api}.core", install)


def is_vector(cls: Type[Any]) -> bool:
    """Whether a class is a vector environment (in older versions these are environments too)."""
    return any(base.__name__ in ("VectorEnv", "EnvPoolMixin") for base in cls.__mro__)
