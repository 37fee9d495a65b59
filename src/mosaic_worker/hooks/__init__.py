"""Post-import hooks: run our code right after the script itself imports a module. Imports nothing on its own.

A finder at the head of `sys.meta_path` looks only at the names it was asked about; for these it lets the
other finders find the module and adds a call to `install` after the module's own code has run. What an
`install` raises is caught and reported by the recorder's guard: an import of the script never fails
because of us.
"""

from __future__ import annotations

import functools
import importlib
import sys
import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Set, Tuple

from mosaic_worker import report

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    from mosaic_worker.recorder import Recorder

__all__ = ["HOOK_MODULES", "install_all", "on_import", "on_import_prefix"]

Install = Callable[["ModuleType"], None]

HOOK_MODULES = (
    "constructing",
    "gymnasium",
    "gym",
    "vector",
    "vectorisers",
    "pettingzoo",
    "envpool",
    "tensorboard",
    "wandb",
    "sb3",
    "rllib",
    "d3rlpy",
    "torchrl",
    "checkpoints",
    "renames",
    "children",
)
"""The modules of this package, in the order in which they are registered."""

_lock = threading.RLock()
_exact: Dict[str, List[Install]] = {}
_prefixes: List[Tuple[str, Install]] = []


def on_import(module_name: str, install: Install) -> None:
    """Call `install(module)` once the named module has been imported; at once if it already is."""
    with _lock:
        _exact.setdefault(module_name, []).append(install)
        _ensure_finder()
        module = sys.modules.get(module_name)
    if module is not None and not _initializing(module):
        _run(module, [install])


def on_import_prefix(prefix: str, install: Install) -> None:
    """Call `install(module)` for every module whose full name starts with `prefix`, now or later."""
    with _lock:
        _prefixes.append((prefix, install))
        _ensure_finder()
        modules = [module for name, module in list(sys.modules.items()) if name.startswith(prefix)]
    for module in modules:
        if not _initializing(module):
            _run(module, [install])


def install_all(recorder: Recorder) -> None:
    """Register every hook module; one that cannot be loaded is reported once and left out."""
    report.listen(functools.partial(recorder.note, level="warning"))
    for name in HOOK_MODULES:
        with recorder.guard(f"hooks.{name}"):
            importlib.import_module(f"mosaic_worker.hooks.{name}").register(recorder)


def _ensure_finder() -> None:
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def _initializing(module: ModuleType) -> bool:
    spec = getattr(module, "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


def _wanted(name: str) -> List[Install]:
    found = list(_exact.get(name, ()))
    found.extend(install for prefix, install in _prefixes if name.startswith(prefix))
    return found


def _run(module: ModuleType, installs: List[Install]) -> None:
    for install in installs:
        owner = getattr(install, "__module__", "hooks")  # in Python 3.8 a partial has none
        with report.guard(f"{owner}: {module.__name__}"):
            install(module)


class _Finder:
    """Finds nothing itself: adds our call to the loader that another finder found.

    Not derived from importlib.abc, whose import would take longer than all of ours.
    """

    def __init__(self) -> None:
        self._asking: Set[Tuple[int, str]] = set()

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Optional[ModuleSpec]:
        if fullname not in _exact and not any(fullname.startswith(prefix) for prefix, _ in _prefixes):
            return None
        asked = (threading.get_ident(), fullname)
        if asked in self._asking:
            return None  # another finder of our kind asks all finders, us included
        self._asking.add(asked)
        try:
            for finder in list(sys.meta_path):
                if finder is self or not hasattr(finder, "find_spec"):
                    continue
                spec = finder.find_spec(fullname, path, target)
                if spec is not None:
                    if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                        _call_after_exec(spec.loader)
                    return spec
        finally:
            self._asking.discard(asked)
        return None


def _call_after_exec(loader: Any) -> None:
    """Shadow the loader's `exec_module` for its next call, so that the loader keeps its type and identity."""
    original = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        vars(loader).pop("exec_module", None)
        original(module)
        _run(module, _wanted(module.__name__))

    try:
        loader.exec_module = exec_module
    except (AttributeError, TypeError):
        report.once(f"hooks: cannot watch modules loaded by {type(loader).__name__}; they are not recorded")


_finder = _Finder()
