"""What a script tells Weights & Biases, recorded: scalars as metrics, the run's config, its page as artifact.

Works the same online, offline and disabled. Media, tables and histograms stay theirs. Never contacts anyone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Tuple

from mosaic_worker import hooks
from mosaic_worker.hooks.nesting import Nesting, argument, wrap
from mosaic_worker.hooks.scalars import flatten, plain_items, whole
from mosaic_worker.hooks.tensorboard import METRICS

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["next_step", "register"]

_STEP = "_mosaic_step"
_Args = Tuple[Any, ...]
_Kwargs = Dict[str, Any]


def register(recorder: Recorder) -> None:
    """Hook `Run.log` and `wandb.init`, each when the script imports it."""
    hooks.on_import("wandb.sdk.wandb_run", lambda module: _hook_log(module.Run, recorder))
    hooks.on_import("wandb.sdk.lib.noop_run", lambda module: _hook_log(module.NoopRun, recorder))
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
                given = {k: v for k, v in dict(config.items()).items() if k != "_wandb"}
                if given:
                    recorder.config(args=plain_items(given))
            url = getattr(run, "url", None)
            if isinstance(url, str) and url.startswith("https://"):
                recorder.emit({"type": "artifacts", "wandb_url": url})

    wrap(module, "init", Nesting(), after)
