"""What TorchRL's CSV logger is given: each scalar, at its step. Its other loggers have hooks of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Tuple

from mosaic_worker import hooks
from mosaic_worker.hooks.nesting import argument, wrap
from mosaic_worker.hooks.scalars import number, whole
from mosaic_worker.hooks.tensorboard import METRICS

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["register"]


def register(recorder: Recorder) -> None:
    """Hook the logger, when the script imports it."""
    hooks.on_import("torchrl.record.loggers.csv", lambda module: _hook(module.CSVLogger, recorder))


def _hook(logger: Any, recorder: Recorder) -> None:
    def logged(_: Any, __: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        with recorder.guard("torchrl.log_scalar"):
            value = number(argument(args, kwargs, 2, "value"))
            if value is not None:
                step = whole(argument(args, kwargs, 3, "step"))
                recorder.metric(str(argument(args, kwargs, 1, "name")), value, step=step, source="torchrl")

    wrap(logger, "log_scalar", METRICS, logged)
