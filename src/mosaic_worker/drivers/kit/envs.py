"""The environments of a driver: made by id and arguments, compared with what a checkpoint was trained on."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Mapping

from mosaic_worker.drivers.kit.command import Refused, Words
from mosaic_worker.probe import prepare

__all__ = ["check_same_spaces", "make", "make_zoo", "spaces_of", "with_masks"]


def make(words: Words) -> Any:
    """The environment a job names.

    Raises:
        Refused: Gymnasium does not know it, or cannot make it with these arguments.
    """
    import gymnasium

    prepare(words.env)
    try:
        return gymnasium.make(words.env, **words.env_arguments)
    except gymnasium.error.Error as error:
        raise Refused(f"cannot make {words.env!r}: {error}") from None
    except TypeError as error:
        given = ", ".join(f"env.{name}={value}" for name, value in words.env_arguments.items())
        raise Refused(f"{words.env!r} does not take {given or 'no arguments'}: {error}") from None


def make_zoo(env_id: str, arguments: Mapping[str, Any], *, parallel: bool) -> Any:
    """A PettingZoo environment by its module: `pettingzoo.classic.connect_four_v3`. It can be watched.

    Raises:
        Refused: there is none of that name, or it cannot be made with these arguments.
    """
    import importlib

    name = env_id.replace("/", ".")
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        raise Refused(f"cannot make {env_id!r}: {error}") from None
    maker = getattr(module, "parallel_env" if parallel else "env", None)
    if maker is None:
        what = "no parallel_env: leave --parallel out" if parallel else "only a parallel_env: add --parallel"
        raise Refused(f"{name} has {what}")
    if "render_mode" not in arguments:
        with contextlib.suppress(TypeError):  # one that draws nothing need not know of it
            return maker(render_mode="rgb_array", **arguments)
    try:
        return maker(**arguments)
    except TypeError as error:
        raise Refused(f"{name} does not take {', '.join(arguments) or 'no arguments'}: {error}") from None


def spaces_of(env: Any) -> Dict[str, str]:
    """Both spaces as Gymnasium writes them: what a policy is bound to."""
    return {"observation": str(env.observation_space), "action": str(env.action_space)}


def check_same_spaces(env: Any, words: Words, *, trained_on: str, spaces: Dict[str, str]) -> None:
    """Refuse an environment a policy was not made for.

    Raises:
        Refused: says what differs and which environment it was trained on.
    """
    here = spaces_of(env)
    for name in ("observation", "action"):
        expected = spaces.get(name)
        if expected is not None and expected != here[name]:
            raise Refused(
                f"the checkpoint does not fit {words.env}: its {name} space is {here[name]}, the policy was "
                f"trained on {trained_on or 'an environment'} with {expected}. Use it with "
                f"--env {trained_on or 'that one'} (and its env.KEY=VALUE arguments)."
            )


def with_masks(env: Any) -> Any:
    """The environment with `action_masks()`: its own, or what it said last as `action_mask` in its info."""
    import gymnasium

    class Masked(gymnasium.Wrapper):
        said: Any = None

        def reset(self, **given: Any) -> Any:
            found = self.env.reset(**given)
            self.said = found[-1].get("action_mask")
            return found

        def step(self, action: Any) -> Any:
            found = self.env.step(action)
            self.said = found[-1].get("action_mask")
            return found

        def action_masks(self) -> Any:
            try:
                own = self.env.get_wrapper_attr("action_masks")
            except AttributeError:
                own = None
            if own is not None:
                return own()
            if self.said is None:
                raise Refused(
                    f"{env.spec.id} does not say which actions are possible: no action_masks(), and no "
                    "action_mask in its info. Use another algorithm."
                )
            return self.said

    return Masked(env)
