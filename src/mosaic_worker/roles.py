"""Whether an episode belongs to training or to evaluation: read off who calls `reset`. Otherwise unknown.

Asked when an episode begins, never at a step. The innermost caller that says it decides: evaluation inside of
training is evaluation, and what a library plays to check an environment is neither. Where no caller says it,
the name does under which the script keeps the environment.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Iterator, Optional

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["EVAL", "TRAIN", "by_name", "now", "of_call", "of_episode", "of_name", "stored_as"]

TRAIN, EVAL = "train", "eval"
NEITHER = "neither"
"""Said by who only checks an environment, or cannot know: the role is unknown, whatever its name."""
COLLECTS = "collects"
"""Said by a tool that plays for whoever calls it: training, unless a caller further out says otherwise."""

_EVALUATES = frozenset(
    {
        "evaluate", "evaluate_policy", "evaluate_agent", "evaluate_model", "eval_policy", "eval_agent",
        "eval_model", "run_evaluation",
    }
)  # fmt: skip
"""Functions whose name alone says it: CleanRL's, SB3's, TorchRL's, our drivers', those of many scripts."""
_CHECKS = frozenset(
    {"check_env", "check_env_specs", "check_multiagent_environments", "api_test", "parallel_api_test"}
)
"""Functions that try an environment out: Gymnasium's, SB3's, TorchRL's, RLlib's, PettingZoo's."""
_CALLS = {
    "stable_baselines3": {"learn": TRAIN},
    "sb3_contrib": {"learn": TRAIN},
    "sbx": {"learn": TRAIN},
    "tianshou": {
        "_collect_test_episodes": EVAL, "test_episode": EVAL, "_test_step": EVAL,
        "_collect_training_data": TRAIN, "_training_step": TRAIN, "train_step": TRAIN,
    },
    "torchrl.collectors": {
        "rollout": COLLECTS, "_make_carrier": COLLECTS, "reset": COLLECTS, "_run_eval": EVAL,
        "_main_async_collector": NEITHER,  # a process of its own: it may collect for an evaluator
    },
    "mosaic_worker.drivers": {"run": TRAIN, "train": TRAIN},
}  # fmt: skip
"""What a function of a library's own means, by the beginning of its module's name."""
_RLLIB = "ray.rllib.env."
_EVAL_WORDS = frozenset({"eval", "test", "evaluation", "val", "validation"})
_TRAIN_WORDS = frozenset({"train", "training"})
_ENV_WORDS = frozenset({"env", "envs", "environment", "environments", "venv", "vecenv"})
_INNER = ("env", "venv", "_env", "par_env", "aec_env", "base_env")
_MAX_LAYERS = 32


def of_call(module: str, function: str) -> Optional[str]:
    """What the name of a function says about episodes that begin inside of it."""
    if function in _EVALUATES:
        return EVAL
    if function in _CHECKS:
        return NEITHER
    parts = module.split(".", 2)
    known = _CALLS.get(parts[0]) or _CALLS.get(".".join(parts[:2]))
    return None if known is None else known.get(function)


def of_name(name: str) -> Optional[str]:
    """What the name of a variable says about the environment in it: `eval_env`, `test_envs`, `train_env`."""
    words = set(name.lower().strip("_").split("_"))
    if not words & _ENV_WORDS:
        return None
    if words & _EVAL_WORDS:
        return EVAL
    return TRAIN if words & _TRAIN_WORDS else None


def of_episode(named: Optional[str], told: Optional[str] = None) -> Optional[str]:
    """The role of an episode that begins now.

    Args:
        named: what the environment's name says.
        told: what the process says that owns the vector environment it is a member of.
    """
    said = now() or told
    return None if said == NEITHER else said or named


def now() -> Optional[str]:
    """What this thread's callers say about an episode that begins now: TRAIN, EVAL, NEITHER or nothing."""
    otherwise: Optional[str] = None
    for frame in _callers():
        module = frame.f_globals.get("__name__")
        if module == "__main__":  # started by `python -m`: its own name is another
            module = getattr(frame.f_globals.get("__spec__"), "name", None)
        name = module if type(module) is str else ""
        found = of_call(name, frame.f_code.co_name)
        if found is None and name.startswith(_RLLIB):
            found = _of_runner(frame)
        if found == COLLECTS:
            otherwise = TRAIN
        elif found is not None:
            return found
    return otherwise


def by_name(env: Any) -> Optional[str]:
    """The role of an environment by the name under which a caller keeps it, or keeps what is around it."""
    for frame in _callers():
        code = frame.f_code
        # Reading the variables of a function makes a copy of them that lives as long as its call does: only
        # where one of them has such a name.
        names = [
            name
            for name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars, *code.co_names)
            if of_name(name)
        ]
        if not names:
            continue
        own = frame.f_locals if code.co_name != "<module>" else frame.f_globals
        for name in names:
            held = own.get(name, frame.f_globals.get(name))
            if held is not None and _holds(held, env):
                return of_name(name)
    return None


def stored_as() -> Optional[str]:
    """The role by the name to which a caller is about to give what it makes: `test_envs = Vec(…)`."""
    for frame in _callers():
        name = _next_store(frame)
        found = None if name is None else of_name(name)
        if found is not None:
            return found
    return None


def _callers() -> Iterator[FrameType]:
    frame: Optional[FrameType] = sys._getframe(2)  # noqa: SLF001  (who calls is the question)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _of_runner(frame: FrameType) -> Optional[str]:
    """RLlib's runners of environments know by their settings what they are for."""
    if frame.f_code.co_varnames[:1] != ("self",):
        return None
    config = getattr(frame.f_locals.get("self"), "config", None)
    evaluates = getattr(config, "in_evaluation", None)
    return None if not isinstance(evaluates, bool) else EVAL if evaluates else TRAIN


def _holds(held: Any, env: Any) -> bool:
    """Whether a value is the environment, or wrapped around it, or a vector environment made of such."""
    for _ in range(_MAX_LAYERS):
        if held is env:
            return True
        own = getattr(held, "__dict__", {})
        members = own.get("envs")
        if isinstance(members, (list, tuple)):
            return any(_holds(member, env) for member in members)
        books = (own, own.get("_modules") or {})  # TorchRL's are modules, which keep their parts apart
        held = next((book[name] for book in books for name in _INNER if book.get(name) is not None), None)
        if held is None:
            return False
    return False


def _next_store(frame: FrameType) -> Optional[str]:
    """The variable that takes the value of the call that is under way in a frame, if one takes it at once."""
    import dis  # slow, and only needed when a vector environment is made

    passed = False
    for instruction in dis.get_instructions(frame.f_code):
        if instruction.offset == frame.f_lasti:
            passed = True
        elif passed and instruction.opname.startswith("STORE_"):
            return str(instruction.argval)
        elif passed and instruction.opname not in ("CACHE", "CALL", "PRECALL", "EXTENDED_ARG"):
            return None
    return None
