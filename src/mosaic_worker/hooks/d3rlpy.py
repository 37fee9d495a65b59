"""What d3rlpy logs: the mean of each metric over an epoch, at the training step, whichever logger it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Tuple

from mosaic_worker import hooks
from mosaic_worker.hooks.nesting import argument, wrap
from mosaic_worker.hooks.scalars import flatten, whole
from mosaic_worker.hooks.tensorboard import METRICS

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["register"]


def register(recorder: Recorder) -> None:
    """Hook the logger, when the script imports it."""
    hooks.on_import("d3rlpy.logging.logger", lambda module: _hook(module.D3RLPyLogger, recorder))


def _hook(logger: Any, recorder: Recorder) -> None:
    def committed(_: Any, result: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        with recorder.guard("d3rlpy.commit"):
            if isinstance(result, Mapping):
                step = whole(argument(args, kwargs, 2, "step"))
                for name, value in flatten(result):
                    recorder.metric(name, value, step=step, source="d3rlpy")

    # Every `LoggerAdapter.write_metric`, the script's own ones too, is called from here with these values.
    wrap(logger, "commit", METRICS, committed)
