"""PettingZoo environments, AEC and parallel: one recorded episode per agent. Never imports PettingZoo itself.

Every subclass of `AECEnv` and `ParallelEnv` gets its `reset` hooked as it is defined. The environment whose
`reset` the script calls directly is the outermost layer: it is claimed, and its class gets the other methods
hooked too. The layers below see that they are inside a hooked call and pass through.

An AEC agent's step is complete when its reward is: at its next turn, or when it is dead. It is written when
the script looks at that turn (`last`), at the latest when it acts. Observations are those the script itself
asks for; only the last one of an episode is asked for by us.
"""

from __future__ import annotations

import functools
import types
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

from mosaic_worker import hooks, report, roles
from mosaic_worker.frames import frames
from mosaic_worker.hooks import pettingzoo_origin, rendering
from mosaic_worker.hooks.agents import Agents
from mosaic_worker.hooks.envs import inside, is_inside, local
from mosaic_worker.hooks.nesting import argument
from mosaic_worker.hooks.pettingzoo_origin import describe, rng_state
from mosaic_worker.layers import layers
from mosaic_worker.rewards import paid

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["register"]

_CLAIM = "_mosaic_claim"
_WHERE = "pettingzoo"
_HOOKED = "_mosaic_hook"
_BOOKS = ("agents", "agent_selection", "_cumulative_rewards", "terminations", "truncations")

_recorder: Optional[Recorder] = None
_claims: List[_Claim] = []

_Args = Tuple[Any, ...]
_Kwargs = Dict[str, Any]


def register(recorder: Recorder) -> None:
    """Hook the base classes and the factories, each when the script imports it."""
    global _recorder  # noqa: PLW0603  (hooked methods must not close over it: they get pickled with user classes)
    _recorder = recorder
    hooks.on_import("pettingzoo.utils.env", _hook_bases)
    pettingzoo_origin.register()
    recorder.at_close(_finish_all)


def _hook_bases(module: types.ModuleType) -> None:
    for base in (module.AECEnv, module.ParallelEnv):
        _hook_births(base)


def _hook_births(base: Any) -> None:
    inherited = vars(base).get("__init_subclass__")

    def init_subclass(cls: Any, **kwargs: Any) -> None:
        if inherited is not None:
            inherited.__func__(cls, **kwargs)
        else:
            super(base, cls).__init_subclass__(**kwargs)
        with report.guard(_WHERE):
            if "reset" in vars(cls) and not _is_gymnasium(cls):
                _hook(cls, "reset", _reset)

    base.__init_subclass__ = classmethod(init_subclass)  # type: ignore[arg-type]


def _is_gymnasium(cls: Any) -> bool:
    """Whether it is a Gymnasium environment as well: an adapter, which is used and recorded as one."""
    return any((base.__module__, base.__name__) == ("gymnasium.core", "Env") for base in cls.__mro__)


def _hook(cls: Any, name: str, record: Callable[..., Any]) -> None:
    """Replace a method of a class, unless what it has or inherits is ours already."""
    original = getattr(cls, name, None)
    if not isinstance(original, types.FunctionType) or _HOOKED in vars(original):
        return

    # A class of the main script may be pickled by value (cloudpickle), and this function with it: all it may
    # hold on to is the original, a module-level function, which pickles by name, and `local`, which does too.
    @functools.wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if local.busy and is_inside():  # a layer inside: its outermost one records
            return original(self, *args, **kwargs)
        return record(original, self, args, kwargs)

    vars(method)[_HOOKED] = True
    setattr(cls, name, method)


class _Claim:
    """What we keep on a claimed environment. Copies and pickles of the environment do not take it along."""

    def __init__(self, env: Any, agents: Agents) -> None:
        self.env = weakref.ref(env)
        self.agents = agents
        self.observed: Dict[Any, Any] = {}
        self.settled = False
        """Whether the selected agent's last step is written already."""
        self.rewards: Dict[Any, Any] = {}
        self.terminations: Dict[Any, Any] = {}
        self.truncations: Dict[Any, Any] = {}
        self._books: Optional[List[Dict[str, Any]]] = None
        stack = layers(env)
        if not any(
            isinstance(getattr(type(layer), name, None), property) for layer in stack for name in _BOOKS
        ):
            self._books = [vars(layer) for layer in stack]

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(None), ()

    def __deepcopy__(self, _: Any) -> None:
        return None

    def read(self, env: Any, name: str) -> Any:
        """An attribute as the outermost layer gives it, without climbing through every `__getattr__`."""
        for book in self._books or ():
            if name in book:
                return book[name]
        return getattr(env, name, None)

    def look(self, env: Any) -> None:
        """Keep hold of an AEC environment's books as they are now; they outlive the environment."""
        rewards = self.read(env, "_cumulative_rewards")
        if rewards is None:
            with inside():
                rewards = {env.agent_selection: env.last(observe=False)[1]}
        self.rewards = rewards
        self.terminations = self.read(env, "terminations")
        self.truncations = self.read(env, "truncations")

    def dead(self, agent: Any) -> bool:
        return bool(self.terminations.get(agent) or self.truncations.get(agent))

    def settle(self, agent: Any, obs: Any) -> None:
        """The agent's last action has had its effect: write the step, with the reward that `last()` gives."""
        self.agents.step(
            agent,
            paid(self.rewards.get(agent, 0.0)),
            obs,
            terminated=bool(self.terminations.get(agent)),
            truncated=bool(self.truncations.get(agent)),
        )

    def finish(self) -> None:
        """Cut what is still running; an action that waits for its reward gets what has come of it so far."""
        for agent in self.agents.open:
            track = self.agents.track(agent)
            if track is not None and track.acted:
                self.settle(agent, None)
            if self.agents.track(agent) is not None:
                self.agents.end(agent, "cut")


def _claim_of(env: Any) -> Optional[_Claim]:
    """Our claim on an environment; None when it was not claimed, or is a shallow copy of one that was."""
    claim: Optional[_Claim] = vars(env).get(_CLAIM)
    return claim if claim is not None and claim.env() is env else None


def _claim(env: Any) -> _Claim:
    if _recorder is None:
        raise RuntimeError("register() has not been called")
    for layer in layers(env)[1:]:
        # It was used bare before: from now on this layer speaks for it.
        below = vars(layer).pop(_CLAIM, None)
        if below is not None:
            below.finish()
    for claim in [known for known in _claims if known.env() is None]:
        claim.finish()
        _claims.remove(claim)
    is_aec = hasattr(type(env), "agent_iter")
    for name, record in (_AEC if is_aec else _PARALLEL).items():
        _hook(type(env), name, record)
    made = describe(env, "pettingzoo-aec" if is_aec else "pettingzoo-parallel")
    claim = _Claim(env, Agents(_recorder, made))
    claim.agents.shown.shared.name(roles.by_name(env))
    vars(env)[_CLAIM] = claim
    _claims.append(claim)
    return claim


def _finish_all() -> None:
    for claim in _claims:
        claim.finish()


def _reset(original: Callable[..., Any], env: Any, args: _Args, kwargs: _Kwargs) -> Any:
    claim = rng = None
    with report.guard(_WHERE):
        claim = _claim_of(env) or _claim(env)
        claim.finish()
        rng = rng_state(env)
    with inside():
        result = original(env, *args, **kwargs)
    with report.guard(_WHERE):
        if claim is not None:
            seed, options = argument(args, kwargs, 0, "seed"), argument(args, kwargs, 1, "options")
            claim.agents.begin(seed=seed, options=options, rng=rng)
            claim.observed, claim.settled = {}, False
            first = result[0] if isinstance(result, tuple) else result
            if first is None:  # AEC: an agent joins at its first turn, with what it then observes
                claim.look(env)
            else:
                for agent in env.agents:
                    claim.agents.join(agent, first.get(agent))
    with report.guard("listing an environment for viewers"):
        if claim is not None:
            rendering.meet_agents(env, claim.agents.shown)
    return result


def _show(env: Any, agents: Agents, last: Any = None) -> None:
    """Somebody watches this process. What drawing calls of the environment is not the script's doing."""
    agents.shown.step_count = agents.turn
    if last is not None:  # the steps of dead agents are nobody's moves
        agents.shown.last = last
    with inside():
        frames.stepped(env, agents.shown)


def _close(original: Callable[..., Any], env: Any, args: _Args, kwargs: _Kwargs) -> Any:
    claim = _claim_of(env)
    if claim is not None:
        with report.guard(_WHERE):
            claim.finish()
            frames.leave(claim.agents.shown)
    with inside():
        return original(env, *args, **kwargs)


def _last(original: Callable[..., Any], env: Any, args: _Args, kwargs: _Kwargs) -> Any:
    claim = _claim_of(env)
    if claim is None:
        return original(env, *args, **kwargs)
    with inside():
        result = original(env, *args, **kwargs)
    with report.guard(_WHERE):
        if argument(args, kwargs, 0, "observe", default=True):
            agent = claim.read(env, "agent_selection")
            claim.observed[agent] = result[0]
            track = claim.agents.track(agent)
            # Who is told of a step finds it in the record, though the one who decides next takes his time.
            if track is not None and track.acted and not claim.dead(agent):
                claim.settle(agent, result[0])
                claim.settled = True
    return result


def _observe(original: Callable[..., Any], env: Any, args: _Args, kwargs: _Kwargs) -> Any:
    claim = _claim_of(env)
    if claim is None:
        return original(env, *args, **kwargs)
    with inside():
        result = original(env, *args, **kwargs)
    with report.guard(_WHERE):
        claim.observed[argument(args, kwargs, 0, "agent")] = result
    return result


def _aec_step(original: Callable[..., Any], env: Any, args: _Args, kwargs: _Kwargs) -> Any:
    claim = _claim_of(env)
    if claim is None:
        return original(env, *args, **kwargs)
    agent, acts = None, False
    with report.guard(_WHERE):
        agent = claim.read(env, "agent_selection")
        observed = claim.observed.get(agent)
        if claim.agents.track(agent) is None:
            claim.agents.join(agent, observed)
        if claim.agents.track(agent) is not None and not claim.settled:
            claim.settle(agent, observed)
        acts = claim.agents.track(agent) is not None
        action = _kept(argument(args, kwargs, 0, "action"))
    with inside():
        result = original(env, *args, **kwargs)
    with report.guard(_WHERE):
        claim.observed, claim.settled = {}, False
        if acts:
            claim.agents.act(agent, action, claim.agents.turn)
        claim.agents.turn += 1
        claim.look(env)
        _settle_the_dead(env, claim)
    if frames.wake[0]:
        _show(env, claim.agents, argument(args, kwargs, 0, "action"))
    return result


def _settle_the_dead(env: Any, claim: _Claim) -> None:
    """Complete everyone's last step as soon as nobody can act any more; a script may stop looking there."""
    living = claim.read(env, "agents")
    if living and not claim.dead(claim.read(env, "agent_selection")):
        return
    if not all(claim.dead(agent) for agent in living):
        return
    for agent in living:
        if claim.agents.track(agent) is None:
            claim.agents.join(agent, None)
    for agent in claim.agents.open:
        obs = None
        if agent in living:
            with report.guard(_WHERE), inside():
                obs = env.observe(agent)
        claim.settle(agent, obs)
        if claim.agents.track(agent) is not None:
            claim.agents.end(agent, "cut")  # taken out without a word


def _parallel_step(original: Callable[..., Any], env: Any, args: _Args, kwargs: _Kwargs) -> Any:
    claim = _claim_of(env)
    if claim is None:
        return original(env, *args, **kwargs)
    actions: Dict[Any, Any] = {}
    with report.guard(_WHERE):
        given = argument(args, kwargs, 0, "actions", {})
        actions = {agent: _kept(given.get(agent)) for agent in claim.agents.open}
    with inside():
        result = original(env, *args, **kwargs)
    with report.guard(_WHERE):
        _parallel_stepped(env, claim.agents, actions, result)
    if frames.wake[0]:
        _show(env, claim.agents)
    return result


def _parallel_stepped(env: Any, agents: Agents, actions: Dict[Any, Any], result: Any) -> None:
    observations, rewards, terminations, truncations = result[:4]
    if len(result) == 4:
        truncations = {}  # before 1.22: observations, rewards, dones, infos
    for agent, action in actions.items():
        agents.act(agent, action, agents.turn)
        agents.step(
            agent,
            paid(rewards.get(agent, 0.0)),
            observations.get(agent),
            terminated=bool(terminations.get(agent)),
            truncated=bool(truncations.get(agent)),
        )
    agents.turn += 1
    for agent in agents.open:
        if agent not in env.agents:
            agents.end(agent, "cut")  # taken out without a word
    for agent in env.agents:
        if agents.track(agent) is None:
            agents.join(agent, observations.get(agent))


def _kept(action: Any) -> Any:
    """An action as it is now: scripts and environments reuse their arrays."""
    return action.copy() if type(action).__module__ == "numpy" and hasattr(action, "copy") else action


_AEC: Dict[str, Callable[..., Any]] = {
    "reset": _reset,
    "step": _aec_step,
    "last": _last,
    "observe": _observe,
    "close": _close,
}
_PARALLEL: Dict[str, Callable[..., Any]] = {"reset": _reset, "step": _parallel_step, "close": _close}
