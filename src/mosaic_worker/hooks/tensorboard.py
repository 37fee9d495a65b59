"""What a script tells TensorBoard: scalars become metrics, hyperparameters config, the folder an artifact.

Hooks `SummaryWriter` of torch and of tensorboardX. Other summaries (images, histograms, graphs) stay theirs.
"""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING, Any, Dict, Mapping, Set, Tuple

from mosaic_worker import hooks
from mosaic_worker.hooks.nesting import Nesting, argument, wrap
from mosaic_worker.hooks.scalars import number, plain_items, whole

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["METRICS", "parse_table", "register"]

METRICS = Nesting()
"""Shared by all hooks that record metrics: a logger that writes through another one counts once."""

_TABLE_HEAD = "|param|value|"
_WRITERS = ("torch.utils.tensorboard.writer", "tensorboardX.writer")

_Args = Tuple[Any, ...]
_Kwargs = Dict[str, Any]


def register(recorder: Recorder) -> None:
    """Hook both writers, each when the script imports it."""
    seen: Set[str] = set()
    for module_name in _WRITERS:
        hooks.on_import(module_name, lambda module: _hook(module.SummaryWriter, recorder, seen))


def parse_table(text: str) -> Dict[str, Any]:
    """The pairs of a Markdown table headed `|param|value|`, the idiom for hyperparameters as text.

    Values that read as a number, a truth value or None are that again; the others stay text.
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    if not lines or lines[0].replace(" ", "") != _TABLE_HEAD:
        return {}
    found: Dict[str, Any] = {}
    for line in lines[2:]:
        cells = line.strip("|").split("|", 1)
        if len(cells) == 2:
            found[cells[0].strip()] = _literal(cells[1].strip())
    return found


def _literal(text: str) -> Any:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return value if value is None or type(value) in (bool, int, float) else text


def _hook(writer: Any, recorder: Recorder, seen: Set[str]) -> None:
    def scalar(_: Any, __: Any, args: _Args, kwargs: _Kwargs) -> None:
        with recorder.guard("tensorboard.add_scalar"):
            value = number(argument(args, kwargs, 2, "scalar_value"))
            if value is not None:
                step = whole(argument(args, kwargs, 3, "global_step"))
                recorder.metric(str(argument(args, kwargs, 1, "tag")), value, step=step, source="tensorboard")

    def scalars(_: Any, __: Any, args: _Args, kwargs: _Kwargs) -> None:
        with recorder.guard("tensorboard.add_scalars"):
            step = whole(argument(args, kwargs, 3, "global_step"))
            main = argument(args, kwargs, 1, "main_tag")
            for tag, given in argument(args, kwargs, 2, "tag_scalar_dict", {}).items():
                value = number(given)
                if value is not None:
                    recorder.metric("{}/{}".format(main, tag), value, step=step, source="tensorboard")

    def opened(_: Any, __: Any, args: _Args, ___: _Kwargs) -> None:
        with recorder.guard("tensorboard.SummaryWriter"):
            folder = getattr(args[0], "log_dir", None) or getattr(args[0], "logdir", None)
            if folder is None:
                return
            path = os.path.abspath(os.fspath(folder))
            if any(path == known or path.startswith(known + os.sep) for known in seen):
                return  # add_hparams opens a writer of its own below the first one's folder
            seen.add(path)
            recorder.emit({"type": "artifacts", "tensorboard": path})

    def hyperparameters(_: Any, __: Any, args: _Args, kwargs: _Kwargs) -> None:
        with recorder.guard("tensorboard.add_hparams"):
            given = argument(args, kwargs, 1, "hparam_dict")
            if isinstance(given, Mapping):
                recorder.config(args=plain_items(given))

    def text(_: Any, __: Any, args: _Args, kwargs: _Kwargs) -> None:
        with recorder.guard("tensorboard.add_text"):
            if argument(args, kwargs, 1, "tag") == "hyperparameters":
                pairs = parse_table(str(argument(args, kwargs, 2, "text_string", "")))
                if pairs:
                    env_id, seed = pairs.get("env_id"), pairs.get("seed")
                    recorder.config(
                        env_id=env_id if isinstance(env_id, str) else None,
                        seed=seed if isinstance(seed, int) else None,
                        args=pairs,
                    )

    wrap(writer, "add_scalar", METRICS, scalar)
    wrap(writer, "add_scalars", METRICS, scalars)
    # Their own kinds of nesting: add_hparams adds scalars, and those count.
    wrap(writer, "__init__", Nesting(), opened)
    wrap(writer, "add_hparams", Nesting(), hyperparameters)
    wrap(writer, "add_text", Nesting(), text)
