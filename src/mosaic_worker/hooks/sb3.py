"""What Stable-Baselines3 logs (each number of a `Logger.dump`), how it is set up, and the files it saves.

Values excluded from one output or another are recorded too; text, figures and histograms are not.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from mosaic_worker import hooks, roles, told
from mosaic_worker.hooks.checkpoints import SAVES
from mosaic_worker.hooks.nesting import Nesting, argument, wrap
from mosaic_worker.hooks.scalars import number, plain_items, whole
from mosaic_worker.hooks.tensorboard import METRICS

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["register"]

_PROGRESS = frozenset({"num_timesteps", "start_time", "ep_info_buffer", "ep_success_buffer", "n_envs"})
_Args = Tuple[Any, ...]
_Kwargs = Dict[str, Any]


def register(recorder: Recorder) -> None:
    """Hook the logger and the base class of all algorithms, each when the script imports it."""
    hooks.on_import("stable_baselines3.common.logger", lambda module: _hook_logger(module, recorder))
    hooks.on_import("stable_baselines3.common.base_class", lambda module: _hook_learn(module, recorder))
    hooks.on_import("stable_baselines3.common.base_class", lambda module: _hook_save(module, recorder))


def _hook_logger(module: Any, recorder: Recorder) -> None:
    disabled = getattr(module, "DISABLED", 50)

    def before(args: _Args, _: _Kwargs) -> Optional[List[Tuple[str, float]]]:
        with recorder.guard("sb3.Logger.dump"):
            if args[0].level == disabled:
                return None
            pairs = [(str(name), number(value)) for name, value in args[0].name_to_value.items()]
            return [(name, value) for name, value in pairs if value is not None]
        return None

    def after(found: Optional[List[Tuple[str, float]]], _: Any, args: _Args, kwargs: _Kwargs) -> None:
        with recorder.guard("sb3.Logger.dump"):
            step = whole(argument(args, kwargs, 1, "step", 0))
            for name, value in found or ():
                recorder.metric(name, value, step=step, source="sb3")

    wrap(module.Logger, "dump", METRICS, after, before)


def _hook_learn(module: Any, recorder: Recorder) -> None:
    def before(args: _Args, _: _Kwargs) -> None:
        with recorder.guard("sb3.learn"):  # it need not reset what was evaluated on in between
            told.tell(getattr(args[0], "env", None), roles.TRAIN)

    def after(_: Any, __: Any, args: _Args, kwargs: _Kwargs) -> None:
        with recorder.guard("sb3.learn"):
            algorithm = args[0]
            settings = {name: _constant(value) for name, value in vars(algorithm).items()}
            given = {k: v for k, v in settings.items() if not k.startswith("_") and k not in _PROGRESS}
            found = {k: v for k, v in plain_items(given).items() if v is not None}
            found["total_timesteps"] = whole(argument(args, kwargs, 1, "total_timesteps"))
            found["policy"] = type(getattr(algorithm, "policy", None)).__name__
            found["device"] = str(getattr(algorithm, "device", ""))
            recorder.config(
                algo=type(algorithm).__name__,
                env_id=_env_id(algorithm),
                seed=whole(getattr(algorithm, "seed", None)),
                args=found,
            )

    # `learn` of the base class is abstract and every algorithm overrides it; all of them pass through here.
    wrap(module.BaseAlgorithm, "_setup_learn", Nesting(), after, before)


def _hook_save(module: Any, recorder: Recorder) -> None:
    def after(_: Any, __: Any, args: _Args, kwargs: _Kwargs) -> None:
        with recorder.guard("sb3.save"):
            given = argument(args, kwargs, 1, "path")
            if isinstance(given, (str, os.PathLike)) and not os.path.splitext(os.fspath(given))[1]:
                given = os.fspath(given) + ".zip"  # it adds this to a name without a suffix
            recorder.listing.saved(given, step=whole(getattr(args[0], "num_timesteps", None)), kind="sb3")

    wrap(module.BaseAlgorithm, "save", SAVES, after)


def _constant(value: Any) -> Any:
    """The number behind a constant schedule; anything else as it is."""
    return getattr(getattr(value, "value_schedule", value), "val", value)


def _env_id(algorithm: Any) -> Optional[str]:
    env = getattr(algorithm, "env", None)
    for _ in range(16):  # VecNormalize and its kind wrap one another
        if env is None or "envs" in vars(env):
            break
        env = vars(env).get("venv")
    envs = getattr(env, "envs", None) or ()
    spec = getattr(envs[0], "spec", None) if envs else None
    found = getattr(spec, "id", None)
    return found if isinstance(found, str) else None
