"""What a script in CleanRL's idiom leaves and how it is played: its networks, its environment, its actions.

Networks are rebuilt from the classes of the script itself, chosen by the names and shapes of the weights.
Actions are the best ones, unless somebody asks for drawn ones: inside the script's module, distributions
answer `sample` with their mode. Refuses
recurrent agents and classes that need more than the environment and the script's arguments.
"""

from __future__ import annotations

import inspect
import os
import sys
import types
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from mosaic_worker.drivers.kit.command import Refused

__all__ = [
    "FORMAT",
    "Held",
    "arguments",
    "environment",
    "imported",
    "networks",
    "number",
    "policy",
    "recent_returns",
    "script_in",
    "search",
    "statistics",
    "understood",
    "wrappers",
]

FORMAT = "mosaic.single_file/1"
ACTING = ("agent", "q_network", "actor", "policy", "model", "network")
"""Names the acting network goes by, the likeliest first."""
_PLAIN = (bool, int, float, str, type(None))
_MODULE = "mosaic_single_file_script"


class Held(NamedTuple):
    """What a checkpoint holds."""

    weights: Dict[str, Any]
    args: Dict[str, Any]
    step: int = 0
    observations: Optional[List[Any]] = None


# ---- what a training leaves ----


def networks(found: Dict[str, Any]) -> Dict[str, Any]:
    """The networks among a script's globals, the acting one first; target copies are left out."""
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    kept = {
        name: value
        for name, value in list(found.items())
        if isinstance(value, torch.nn.Module) and "target" not in name
    }
    acting = [name for name in ACTING if name in kept]
    return (
        {name: kept[name] for name in acting + [name for name in kept if name not in acting]}
        if acting
        else {}
    )


def arguments(args: Any) -> Dict[str, Any]:
    """A script's settings as plain values; what is not a plain value is left out."""
    values = getattr(args, "__dict__", None) or {}
    return {str(name): value for name, value in values.items() if isinstance(value, _PLAIN)}


def wrappers(env: Any) -> Iterator[Any]:
    """An environment's layers, the outermost first."""
    seen = 0
    while env is not None and seen < 64:
        yield env
        env = getattr(env, "env", None)
        seen += 1


def _members(envs: Any) -> List[Any]:
    members = getattr(envs, "envs", None)
    return list(members) if isinstance(members, (list, tuple)) else []


def statistics(envs: Any) -> List[Any]:
    """Mean, variance and count by which the first environment's observations are normalised; else nothing."""
    for member in _members(envs)[:1]:
        for layer in wrappers(member):
            found = layer.__dict__.get("obs_rms")
            if found is not None:
                import torch

                return [torch.as_tensor(found.mean), torch.as_tensor(found.var), float(found.count)]
    return []


def number(value: Any) -> float:
    """A number that may come as an array of one."""
    return float(value.item() if hasattr(value, "item") else value)


def recent_returns(envs: Any) -> Dict[str, float]:
    """The mean of the returns that the environments remember, and of how many."""
    returns: List[float] = []
    for member in _members(envs):
        for layer in wrappers(member):
            returns += [number(value) for value in layer.__dict__.get("return_queue", ())]
    return {"return_mean": sum(returns) / len(returns), "episodes": float(len(returns))} if returns else {}


# ---- reading a checkpoint ----


def understood(data: Any, path: str) -> Held:
    """The weights of the acting network, from our checkpoints and from those the scripts write.

    Raises:
        Refused: it is of no form we know.
    """
    if isinstance(data, dict) and data.get("format") == FORMAT:
        weights = next(iter(data["networks"].values()))
        return Held(weights, data["args"], data["step"], data["observations"] or None)
    if isinstance(data, dict) and isinstance(data.get("model_weights"), dict):
        return Held(data["model_weights"], arguments(types.SimpleNamespace(**data.get("args") or {})))
    if isinstance(data, (tuple, list)) and data and isinstance(data[0], dict):
        return Held(dict(data[0]), {})  # the actor comes first, its critics after it
    if isinstance(data, dict) and data and all(hasattr(value, "shape") for value in data.values()):
        return Held(dict(data), {})
    raise Refused(f"{path} is not a checkpoint of a single-file script: it holds {type(data).__name__}")


def script_in(checkout: str, name: str) -> str:
    """The path of a script in a checkout.

    Raises:
        Refused: there is none.
    """
    for folder in (os.path.join(checkout, "cleanrl"), checkout):
        path = os.path.join(os.path.abspath(folder), f"{name}.py")
        if os.path.isfile(path):
            return path
    raise Refused(
        f"there is no script {name!r} in {checkout}. Is it the checkout the training was made with?"
    )


def search(folder: str) -> None:
    """Let a script's folder and the checkout around it be found first."""
    for found in (os.path.dirname(folder), folder):
        if found not in sys.path:
            sys.path.insert(0, found)


def imported(path: str) -> Any:
    """The script as a module: its classes are defined, its training does not run."""
    import importlib.util

    search(os.path.dirname(path))
    spec = importlib.util.spec_from_file_location(_MODULE, path)
    if spec is None or spec.loader is None:
        raise Refused(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE] = module
    spec.loader.exec_module(module)
    return module


# ---- the environment ----


def environment(module: Any, env_id: str, held: Held) -> Any:
    """One environment as the script makes it, its observations normalised as in training.

    Raises:
        Refused: the script makes environments in a way we do not know.
    """
    make = getattr(module, "make_env", None)
    if make is None:
        raise Refused(f"{module.__file__} has no make_env: it is not clear how it makes its environments")
    known = dict(held.args, env_id=env_id, idx=0, capture_video=False, run_name="mosaic-eval")
    known.setdefault("seed", 1)
    known.setdefault("gamma", 0.99)
    made = make(**_filled(make, known, f"make_env of {module.__file__}"))
    env = made() if callable(made) and not hasattr(made, "step") else made
    if held.observations:
        _normalise(env, held.observations)
    return env


def _filled(callee: Callable[..., Any], known: Dict[str, Any], name: str) -> Dict[str, Any]:
    """Arguments for a call, by name.

    Raises:
        Refused: it wants something nobody knows.
    """
    found = {}
    for parameter in inspect.signature(callee).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.name in known:
            found[parameter.name] = known[parameter.name]
        elif parameter.default is parameter.empty:
            raise Refused(f"{name} needs {parameter.name!r}, which the checkpoint does not hold")
    return found


def _normalise(env: Any, kept: List[Any]) -> None:
    for layer in wrappers(env):
        found = layer.__dict__.get("obs_rms")
        if found is not None:
            found.mean, found.var, found.count = kept[0].numpy(), kept[1].numpy(), kept[2]
            found.update = lambda _: None  # an evaluation learns nothing


# ---- the policy ----


def policy(
    module: Any, env: Any, held: Held, *, samples: bool = False
) -> Callable[[Any], Tuple[Any, Dict[str, Any]]]:
    """From an observation to an action, and what the network knows of it: probs, q, value, entropy.

    Args:
        module: the script.
        env: one environment as the script makes it.
        held: the checkpoint.
        samples: whether actions are drawn; otherwise they are the best ones.

    Raises:
        Refused: no class of the script fits the weights, or its agent is of a kind we do not play.
    """
    import numpy as np
    import torch

    network = _network(module, env, held)
    network.eval()
    drawn = _watched(module, samples=samples)
    answer = _answer(network, env, drawn, samples=samples)
    space = env.action_space
    discrete = hasattr(space, "n")

    def act(observation: Any) -> Tuple[Any, Dict[str, Any]]:
        with torch.no_grad():
            actions, known = answer(torch.Tensor(np.asarray(observation)[None]))
        found = actions[0].numpy()
        if discrete:
            return int(found), known
        return np.clip(found.reshape(space.shape), space.low, space.high).astype(space.dtype), known

    return act


def _network(module: Any, env: Any, held: Held) -> Any:
    import torch

    stand_in = _stand_in(env)
    known = dict(held.args, env=stand_in, envs=stand_in)
    classes: List[Any] = [
        each
        for each in vars(module).values()
        if inspect.isclass(each) and issubclass(each, torch.nn.Module) and each.__module__ == module.__name__
    ]
    reasons = []
    for each in classes:
        try:
            network = each(**_filled(each, known, each.__name__))
            network.load_state_dict(held.weights)
        except (Refused, RuntimeError, TypeError, AttributeError, ValueError) as error:
            reasons.append(f"{each.__name__}: {str(error).splitlines()[0]}")
        else:
            return network
    raise Refused(
        f"no class of {module.__file__} fits the checkpoint ({'; '.join(reasons) or 'it has none'}). "
        "Is it the script the training was made with, and the same environment?"
    )


def _stand_in(env: Any) -> Any:
    """One environment with the spaces of a vector of one, which is what the classes ask for."""
    from gymnasium.vector.utils import batch_space

    return types.SimpleNamespace(
        num_envs=1,
        single_observation_space=env.observation_space,
        single_action_space=env.action_space,
        observation_space=batch_space(env.observation_space, 1),
        action_space=batch_space(env.action_space, 1),
    )


def _watched(module: Any, *, samples: bool) -> List[Any]:
    """Inside the script's module, distributions are put into this list as they are made, the latest alone.

    Unless it `samples`, a distribution's sample is its mode: evaluations draw no lots.
    """
    import torch

    drawn: List[Any] = []
    for name, value in list(vars(module).items()):
        if inspect.isclass(value) and issubclass(value, torch.distributions.Distribution):
            setattr(module, name, _noted(value, drawn, samples=samples))
    return drawn


def _noted(distribution: Any, drawn: List[Any], *, samples: bool) -> Any:
    def made(self: Any, *words: Any, **named: Any) -> None:
        distribution.__init__(self, *words, **named)
        drawn[:] = [self]

    def mode(self: Any, *_: Any, **__: Any) -> Any:
        return self.mode

    own = {"__init__": made} if samples else {"__init__": made, "sample": mode, "rsample": mode}
    return type(distribution.__name__, (distribution,), own)


def _answer(
    network: Any, env: Any, drawn: List[Any], *, samples: bool
) -> Callable[[Any], Tuple[Any, Dict[str, Any]]]:
    """How this network says what to do, given a batch of one observation, and what it knows of it."""
    for name in ("get_action_and_value", "get_action"):
        method = getattr(network, name, None)
        if method is not None:
            _check_one_argument(method, name)
            return lambda batch: _told(method(batch), drawn, valued=name == "get_action_and_value")
    _check_one_argument(network.forward, "forward")
    if samples:
        raise Refused("this network says what is best and has nothing to draw from: leave op.sample out")
    if not hasattr(env.action_space, "n"):
        return lambda batch: (_first(network(batch)), {})

    def best(batch: Any) -> Tuple[Any, Dict[str, Any]]:
        values = network(batch)
        listed = [float(value) for value in values[0].flatten().tolist()]
        return values.argmax(dim=1), {"q": listed, "value": max(listed)}

    return best


def _told(answer: Any, drawn: List[Any], *, valued: bool) -> Tuple[Any, Dict[str, Any]]:
    """An agent's action, and what stands beside it: `action, log_prob, entropy, value` in this idiom."""
    known: Dict[str, Any] = {}
    if valued and isinstance(answer, tuple) and len(answer) == 4:
        known = {"entropy": number(answer[2].sum()), "value": number(answer[3].sum())}
    probs = getattr(drawn[0], "probs", None) if drawn else None
    if probs is not None and probs.dim() == 2:
        known["probs"] = [float(one) for one in probs[0].tolist()]
    return _first(answer), known


def _check_one_argument(method: Callable[..., Any], name: str) -> None:
    needed: Tuple[str, ...] = tuple(
        parameter.name
        for parameter in inspect.signature(method).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    )
    if len(needed) != 1:
        raise Refused(
            f"{name} of this script takes {', '.join(needed)}: agents with a memory are not played here"
        )


def _first(answer: Any) -> Any:
    return answer[0] if isinstance(answer, tuple) else answer
