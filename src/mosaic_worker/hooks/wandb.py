"""What a script tells Weights & Biases, recorded: scalars as metrics, the run's config, its page as artifact.

The config is what `init` was given and whatever is set later. Works the same online, offline and disabled.
Media, tables and histograms stay theirs. Never contacts anyone.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple

from mosaic_worker import hooks
from mosaic_worker.hooks.nesting import Nesting, argument, wrap
from mosaic_worker.hooks.scalars import flatten, plain_items, whole
from mosaic_worker.hooks.tensorboard import METRICS

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["next_step", "register"]

_STEP = "_mosaic_step"
_CONFIG = Nesting()
_OF_RUNS: weakref.WeakSet[Any] = weakref.WeakSet()
"""The configs of runs, once `init` is through. A script may have others, which are nobody's."""
_Args = Tuple[Any, ...]
_Kwargs = Dict[str, Any]


def register(recorder: Recorder) -> None:
    """Hook `Run.log`, `wandb.init` and the setters of `Config`, each when the script imports it."""
    hooks.on_import("wandb.sdk.wandb_run", lambda module: _hook_log(module.Run, recorder))
    hooks.on_import("wandb.sdk.lib.noop_run", lambda module: _hook_log(module.NoopRun, recorder))
    hooks.on_import("wandb.sdk.wandb_config", lambda module: _hook_config(module.Config, recorder))
    hooks.on_import("wandb", lambda module: _hook_init(module, recorder))


def next_step(current: int, step: Optional[int], commit: Optional[bool]) -> Tuple[int, int]:
    """Under which step W&B files a `log` call, and where its counter stands afterwards."""
    filed = current if step is None else step
    after = max(current, filed)
    if (step is None and commit is None) or commit:
        after += 1
    return filed, after


def _hook_log(run_class: Any, recorder: Recorder) -> None:
    def after(_: Any, __: Any, args: _Args, kwargs: _Kwargs) -> None:
        with recorder.guard("wandb.log"):
            run, data = args[0], argument(args, kwargs, 1, "data")
            if not isinstance(data, Mapping):
                return
            # The run's own `step` asks another process; counting along is free.
            current = run.__dict__.get(_STEP)
            if current is None:
                current = whole(getattr(run, "_starting_step", 0)) or 0
            given = whole(argument(args, kwargs, 2, "step"))
            step, run.__dict__[_STEP] = next_step(current, given, argument(args, kwargs, 3, "commit"))
            for name, value in flatten(data):
                recorder.metric(name, value, step=step, source="wandb")

    wrap(run_class, "log", METRICS, after)


def _hook_init(module: Any, recorder: Recorder) -> None:
    def after(_: Any, run: Any, __: _Args, ___: _Kwargs) -> None:
        with recorder.guard("wandb.init"):
            config = getattr(run, "config", None)
            if config is not None:
                _OF_RUNS.add(config)
                given = _held(config, config.keys())
                if given:
                    recorder.config(args=given)
            url = getattr(run, "url", None)
            if isinstance(url, str) and url.startswith("https://"):
                recorder.emit({"type": "artifacts", "wandb_url": url})

    wrap(module, "init", Nesting(), after)


def _hook_config(config_class: Any, recorder: Recorder) -> None:
    def hook(setter: str, names_of: Callable[[_Args, _Kwargs], Iterable[Any]]) -> None:
        def before(args: _Args, kwargs: _Kwargs) -> Optional[Dict[str, Any]]:
            with recorder.guard("wandb.config"):
                return _held(args[0], names_of(args, kwargs)) if args[0] in _OF_RUNS else None
            return None

        def after(held: Optional[Dict[str, Any]], _: Any, args: _Args, kwargs: _Kwargs) -> None:
            with recorder.guard("wandb.config"):
                if held is None:
                    return
                now = _held(args[0], names_of(args, kwargs))
                changed = {name: value for name, value in now.items() if held.get(name, held) != value}
                if changed:
                    recorder.config(args=changed)

        wrap(config_class, setter, _CONFIG, after, before)

    hook("update", _given)
    hook("setdefaults", _given)
    for one in ("__setitem__", "__setattr__"):
        hook(one, lambda args, _: args[1:2])


def _given(args: _Args, kwargs: _Kwargs) -> List[Any]:
    """The names that a call of `update` may set.

    Of what is neither a mapping nor a plain object (a YAML file, the flags of absl, another config) only W&B
    knows: then it is every name there is.
    """
    given = argument(args, kwargs, 1, "d")
    if isinstance(given, Mapping):
        return list(given)
    fields = getattr(given, "__dict__", None) or {"_": None}
    private = any(name.startswith("_") for name in fields)
    return list(args[0].keys() if private else fields)


def _held(config: Any, names: Iterable[Any]) -> Dict[str, Any]:
    """What a config holds under these names, as far as it is plain, public and W&B's own is left out."""
    found = {}
    for name in names:
        key = str(name).strip("-")  # as W&B files it
        if not key.startswith("_") and key in config:
            found[key] = config[key]
    return plain_items(found)
