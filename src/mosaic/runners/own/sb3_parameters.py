"""Parameters of Stable-Baselines3's algorithms, and of those that take the same ones. Pure data.

Each is described once; an algorithm names those it takes, with its own default.
"""

from __future__ import annotations

from typing import Any

import msgspec

from mosaic.protocol.cards import Parameter

__all__ = ["ACTOR_CRITIC", "OFF_POLICY", "parameters"]

_LEARN, _NET, _BUFFER, _EXPLORE, _ENTROPY, _SAVE, _RUN = (
    "Learning", "Network", "Replay buffer", "Exploration", "Entropy", "Checkpoints", "Run",
)  # fmt: skip


def _p(name: str, kind: Any, text: str, group: str, **more: Any) -> Parameter:
    return Parameter(name=name, type=kind, help=text, group=group, **more)


_UNIT: dict[str, Any] = {"minimum": 0, "maximum": 1}
_POSITIVE: dict[str, Any] = {"minimum": 0, "exclusive_minimum": True}
_RARE: dict[str, Any] = {"advanced": True}

_KNOWN = {
    parameter.name: parameter
    for parameter in (
        _p("learning_rate", "float", "Step size of the optimiser.", _LEARN, **_POSITIVE),
        _p("qf_learning_rate", "float", "Step size for the critic; none: the learning rate.", _LEARN,
           optional=True, **_POSITIVE, **_RARE),
        _p("n_steps", "int", "Steps collected in each environment before each update.", _LEARN, minimum=1),
        _p("batch_size", "int", "Samples in one gradient step.", _LEARN, minimum=1),
        _p("n_epochs", "int", "Passes over what was collected, in each update.", _LEARN, minimum=1),
        _p("gamma", "float", "What a reward one step later is worth.", _LEARN, **_UNIT),
        _p("gae_lambda", "float", "Between bias (0) and variance (1) of the advantage.", _LEARN, **_UNIT),
        _p("clip_range", "float", "How far an update may move the policy.", _LEARN, **_POSITIVE),
        _p("clip_range_vf", "float", "The same for the value function; none: no limit.", _LEARN,
           optional=True, **_POSITIVE, **_RARE),
        _p("normalize_advantage", "bool", "Whether advantages are normalised.", _LEARN, **_RARE),
        _p("ent_coef", "float", "Weight of the entropy in the loss.", _ENTROPY, minimum=0),
        _p("target_entropy", "str", "Entropy to hold: a number, or auto.", _ENTROPY, **_RARE),
        _p("vf_coef", "float", "Weight of the value function in the loss.", _LEARN, minimum=0, **_RARE),
        _p("max_grad_norm", "float", "Longest gradient.", _LEARN, optional=True, **_POSITIVE, **_RARE),
        _p("target_kl", "float", "Largest change of the policy in one update; none: no limit.", _LEARN,
           optional=True, **_POSITIVE, **_RARE),
        _p("use_rms_prop", "bool", "RMSprop instead of Adam.", _LEARN, **_RARE),
        _p("rms_prop_eps", "float", "RMSprop's epsilon.", _LEARN, **_POSITIVE, **_RARE),
        _p("cg_max_steps", "int", "Steps of the conjugate gradient.", _LEARN, minimum=1, **_RARE),
        _p("cg_damping", "float", "Damping of the conjugate gradient.", _LEARN, minimum=0, **_RARE),
        _p("line_search_shrinking_factor", "float", "Shrinking in the search.", _LEARN, **_UNIT, **_RARE),
        _p("line_search_max_iter", "int", "Longest line search.", _LEARN, minimum=1, **_RARE),
        _p("n_critic_updates", "int", "Updates of the critic, each time.", _LEARN, minimum=1, **_RARE),
        _p("sub_sampling_factor", "int", "Use each n-th sample only.", _LEARN, minimum=1, **_RARE),
        _p("use_sde", "bool", "State-dependent exploration (continuous actions).", _EXPLORE, **_RARE),
        _p("sde_sample_freq", "int", "Steps between new noise for it; -1: once a rollout.", _EXPLORE,
           minimum=-1, **_RARE),
        _p("buffer_size", "int", "Transitions kept.", _BUFFER, minimum=1),
        _p("learning_starts", "int", "Steps before the first update.", _BUFFER, minimum=0),
        _p("tau", "float", "How far the target network moves at each update.", _LEARN, **_UNIT),
        _p("train_freq", "int", "Steps between updates.", _LEARN, minimum=1),
        _p("gradient_steps", "int", "Gradient steps each time; -1: as many as steps.", _LEARN, minimum=-1),
        _p("target_update_interval", "int", "Steps between updates of the target.", _LEARN, minimum=1),
        _p("exploration_fraction", "float", "Part of the training in which it falls.", _EXPLORE, **_UNIT),
        _p("exploration_initial_eps", "float", "How often it acts at random at first.", _EXPLORE, **_UNIT),
        _p("exploration_final_eps", "float", "How often it acts at random at last.", _EXPLORE, **_UNIT),
        _p("policy_delay", "int", "Critic updates for each of the policy.", _LEARN, minimum=1, **_RARE),
        _p("target_policy_noise", "float", "Noise on the target's actions.", _LEARN, minimum=0, **_RARE),
        _p("target_noise_clip", "float", "Limit of that noise.", _LEARN, minimum=0, **_RARE),
        _p("top_quantiles_to_drop_per_net", "int", "Quantiles left out, for each critic.", _LEARN,
           minimum=0, **_RARE),
    )
}  # fmt: skip

ACTOR_CRITIC: dict[str, Any] = {"gamma": 0.99, "gae_lambda": 0.95, "use_sde": False, "sde_sample_freq": -1}
OFF_POLICY: dict[str, Any] = {
    "buffer_size": 1_000_000, "learning_starts": 100, "batch_size": 256, "tau": 0.005, "gamma": 0.99,
    "train_freq": 1, "gradient_steps": 1, "n_steps": 1,
}  # fmt: skip

_BOOKKEEPING = [
    _p("checkpoint_every", "int", "Steps between checkpoints; none: a fifth of the training.", _SAVE,
       optional=True, minimum=1),
    _p("keep_checkpoints", "int", "How many of them are kept; best, final and stop always are.",
       _SAVE, default=3, minimum=1, **_RARE),
]  # fmt: skip
_REPLAY_BUFFER = _p("save_replay_buffer", "bool", "Whether checkpoints hold the replay buffer: large files.",
                    _SAVE, default=False, **_RARE)  # fmt: skip
_NORMALIZE = _p("normalize", "bool", "Normalise observations and rewards by what was seen so far.", _LEARN,
                default=False, **_RARE)  # fmt: skip
_DEVICE = _p("device", "str", "auto, cpu, cuda or cuda:N.", _RUN, default="auto", **_RARE)
_NET_ARCH = _p("net_arch", "str", "Sizes of the hidden layers, such as 64,64; none: the framework's own.",
               _NET, optional=True)  # fmt: skip


def parameters(own: dict[str, Any], *, policies: list[str]) -> list[Parameter]:
    """An algorithm's parameters: those in `own` with that default, then the ones every algorithm has."""
    found = [_with_default(name, default) for name, default in own.items()]
    policy = _p("policy", "choice", "The kind of network; auto: by the observations.", _NET,
                default="auto", choices=["auto", *policies])  # fmt: skip
    found += [policy, _NET_ARCH, _NORMALIZE]
    if "buffer_size" in own:
        found.append(_REPLAY_BUFFER)
    return [*found, *_BOOKKEEPING, _DEVICE]


def _with_default(name: str, default: Any) -> Parameter:
    known = _KNOWN[name]
    if name == "ent_coef" and isinstance(default, str):  # of SAC and its kin: a number, or learned
        return _p("ent_coef", "str", "Weight of the entropy: a number, auto, or auto_0.1.", _ENTROPY,
                  default=default)  # fmt: skip
    if name == "n_steps" and default == 1:
        return _p("n_steps", "int", "Steps of each return the critic learns from.", _LEARN,
                  default=1, minimum=1, **_RARE)  # fmt: skip
    return msgspec.structs.replace(known, default=default)
