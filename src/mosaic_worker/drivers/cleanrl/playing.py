"""A checkpoint of a single-file script as an operator: its network behind its script's wrappers, no world.

The session has the environment; the script's wrappers (normalising, clipping, stacking) belong to the policy.
So the script's own environment is made here and its core replaced by `Fed`, which simulates nothing: what the
session saw goes up through the wrappers, the action comes down through them. Refuses wrappers that step the
core more or less than once for a decision: skipped frames are the session's business.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional

from mosaic_worker.drivers.cleanrl import single_file
from mosaic_worker.drivers.kit.command import Refused
from mosaic_worker.drivers.kit.loading import opened
from mosaic_worker.operators import Choice, Operator, Seat
from mosaic_worker.session.fitting import described

if TYPE_CHECKING:
    from mosaic_worker.drivers.cleanrl.single_file import Held
    from mosaic_worker.drivers.kit.command import Words
    from mosaic_worker.drivers.kit.serving import Surroundings
    from mosaic_worker.session.view import View

__all__ = ["Loaded", "Wrapped", "loaded", "seated"]


class Loaded(NamedTuple):
    """A checkpoint and the script it is of."""

    held: Held
    module: Any
    path: str
    env_id: str


def loaded(words: Words) -> Loaded:
    """The checkpoint a job names: numbers only, whoever wrote it.

    Raises:
        Refused: something is missing, or the file is not a checkpoint of such a script.
    """
    if words.kind not in ("eval", "play") or words.checkpoint is None or not words.checkout:
        raise Refused("eval and play need --checkpoint FILE, --checkout FOLDER and --algo SCRIPT")
    path = single_file.script_in(words.checkout, words.algo)
    import torch

    with opened(words.checkpoint, sha256=words.sha256, pickled=False) as file:
        try:
            data = torch.load(file, map_location="cpu", weights_only=True)
        except (pickle.UnpicklingError, RuntimeError, ValueError, EOFError, LookupError) as error:
            raise Refused(
                f"{words.checkpoint} is damaged or holds more than numbers, nothing was loaded: {error}"
            ) from None
    held = single_file.understood(data, words.checkpoint)
    trained_on = str(held.args.get("env_id", ""))
    # An evaluation may name another environment; a session has its own, and the policy's is the one it knows.
    env_id = words.env or trained_on if words.kind == "eval" else trained_on or words.env
    if not env_id:
        raise Refused("the checkpoint does not say which environment it is for: add --env ID")
    return Loaded(held, single_file.imported(path), path, env_id)


class _Asked(Exception):  # noqa: N818  (not an error: how an action leaves the wrappers)
    """An action has come down to the core."""

    def __init__(self, action: Any) -> None:
        super().__init__()
        self.action = action


class Wrapped:
    """A script's wrappers around a core that simulates nothing.

    Args:
        env: one environment as the script makes it. Its core is put aside.

    Raises:
        Refused: there is nothing around the core to put another one into.
    """

    def __init__(self, env: Any) -> None:
        from gymnasium import Env

        layers = list(single_file.wrappers(env))
        outer, core = (layers[-2], layers[-1]) if len(layers) > 1 else (None, layers[-1])
        wrapped = self

        class Fed(Env):
            metadata = core.metadata
            observation_space = core.observation_space
            action_space = core.action_space
            render_mode = getattr(core, "render_mode", None)
            spec = getattr(core, "spec", None)

            def reset(self, *, seed: Any = None, options: Any = None) -> Any:
                del seed, options
                wrapped.resets += 1
                return wrapped.seen, {}

            def step(self, action: Any) -> Any:
                if wrapped.asking:
                    raise _Asked(action)
                wrapped.steps += 1
                return wrapped.seen, 0.0, False, False, {}

        core.close()
        self.core = core
        fed: Any = Fed()
        if outer is None:
            self.env = fed
        else:
            outer.env = fed
            self.env = env
        self.seen: Any = None
        self.asking = False
        self.resets = self.steps = 0

    def begin(self, observation: Any) -> Any:
        """The first observation of an episode, as the policy sees it."""
        self.seen, self.resets, self.steps = observation, 0, 0
        found = self.env.reset()
        self._check(resets=1, steps=0)
        return found[0]

    def down(self, action: Any) -> Any:
        """What an action of the policy is for the environment."""
        self.asking = True
        try:
            self.env.step(action)
        except _Asked as asked:
            return asked.action
        finally:
            self.asking = False
        raise Refused("the script's wrappers keep actions to themselves: play it with mosaic eval")

    def up(self, action: Any, observation: Any) -> Any:
        """What came of an action, as the policy sees it."""
        self.seen, self.resets, self.steps = observation, 0, 0
        found = self.env.step(action)
        self._check(resets=0, steps=1)
        return found[0]

    def _check(self, *, resets: int, steps: int) -> None:
        if (self.resets, self.steps) != (resets, steps):
            names = ", ".join(type(layer).__name__ for layer in single_file.wrappers(self.env))
            raise Refused(
                "the script's wrappers step the environment by themselves (skipped frames, first moves), "
                f"as no session does: play it with mosaic eval. The wrappers are: {names}"
            )


class _Agent(Operator):
    """A script's network behind its script's wrappers."""

    def __init__(self, act: Any, wrapped: Wrapped) -> None:
        self._act = act
        self._wrapped = wrapped
        self._last: Any = None

    def begin(self, seat: Seat) -> None:
        """Seed what it draws."""
        import torch

        torch.manual_seed(0 if seat.seed is None else seat.seed)

    def act(self, view: View) -> Choice:
        """Ask the network."""
        around = self._wrapped
        first = view.step == 0
        seen = around.begin(view.observation) if first else around.up(self._last, view.observation)
        self._last, known = self._act(seen)
        return Choice(around.down(self._last), known or None)


def seated(words: Words, around: Surroundings) -> Operator:
    """The policy of a checkpoint, for a session in another interpreter.

    Raises:
        Refused: the checkpoint is not the one that was checked, does not fit the seat, or cannot play there.
    """
    found = loaded(words)
    wrapped = _wrapped(found)
    core = wrapped.core
    spaces: Dict[str, Optional[Dict[str, Any]]] = {
        "observation": described(core.observation_space),
        "action": described(core.action_space),
    }
    around.check(trained_on=found.env_id, spaces=spaces)
    act = single_file.policy(
        found.module, wrapped.env, found.held, samples=bool(words.parameters.get("sample"))
    )
    _try(_wrapped(found))
    return _Agent(act, wrapped)


def _wrapped(found: Loaded) -> Wrapped:
    return Wrapped(single_file.environment(found.module, found.env_id, found.held))


def _try(wrapped: Wrapped) -> None:
    """Refuse what cannot play before the session begins. On other wrappers: some count what they see."""
    space, action = wrapped.core.observation_space, wrapped.env.action_space.sample()
    wrapped.begin(space.sample())
    wrapped.down(action)
    wrapped.up(action, space.sample())
