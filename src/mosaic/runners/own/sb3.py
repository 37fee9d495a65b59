"""The card of `sb3`: Stable-Baselines3 and sb3-contrib. Defaults are the framework's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mosaic.runners.own.sb3_family import ANY_ACTION, STABLE_BASELINES, algorithm, family_runner
from mosaic.runners.own.sb3_parameters import ACTOR_CRITIC, OFF_POLICY

if TYPE_CHECKING:
    from mosaic.protocol.cards import Algorithm

__all__ = ["RUNNER"]

_OBSERVATIONS = [*ANY_ACTION, "Dict"]
_POLICIES = ["MlpPolicy", "CnnPolicy", "MultiInputPolicy"]

_PPO: dict[str, Any] = {
    "learning_rate": 3e-4, "n_steps": 2048, "batch_size": 64, "n_epochs": 10, "gamma": 0.99,
    "gae_lambda": 0.95, "clip_range": 0.2, "clip_range_vf": None, "normalize_advantage": True,
    "ent_coef": 0.0, "vf_coef": 0.5, "max_grad_norm": 0.5, "target_kl": None,
}  # fmt: skip
_SDE: dict[str, Any] = {"use_sde": False, "sde_sample_freq": -1}
_DQN: dict[str, Any] = {
    **OFF_POLICY, "learning_rate": 1e-4, "batch_size": 32, "tau": 1.0, "train_freq": 4,
    "target_update_interval": 10_000, "exploration_fraction": 0.1, "exploration_initial_eps": 1.0,
    "exploration_final_eps": 0.05, "max_grad_norm": 10.0,
}  # fmt: skip
_SAC: dict[str, Any] = {
    "learning_rate": 3e-4, **OFF_POLICY, "ent_coef": "auto", "target_entropy": "auto",
    "target_update_interval": 1, **_SDE,
}  # fmt: skip
_DDPG: dict[str, Any] = {"learning_rate": 1e-3, **OFF_POLICY}


def _algorithm(
    name: str, title: str, text: str, own: dict[str, Any], actions: list[str], *, masks: bool = False
) -> Algorithm:
    return algorithm(
        name,
        title,
        text,
        own,
        actions=actions,
        observations=_OBSERVATIONS,
        policies=_POLICIES,
        masks=masks,
    )


_ALGORITHMS = [
    _algorithm("ppo", "PPO", "Proximal policy optimisation: a good start.", {**_PPO, **_SDE}, ANY_ACTION),
    _algorithm(
        "a2c", "A2C", "Advantage actor-critic: small, frequent updates.",
        {
            "learning_rate": 7e-4, "n_steps": 5, **ACTOR_CRITIC, "gae_lambda": 1.0, "ent_coef": 0.0,
            "vf_coef": 0.5, "max_grad_norm": 0.5, "rms_prop_eps": 1e-5, "use_rms_prop": True,
            "normalize_advantage": False,
        },
        ANY_ACTION,
    ),
    _algorithm("dqn", "DQN", "Deep Q-learning, for discrete actions.", _DQN, ["Discrete"]),
    _algorithm("sac", "SAC", "Soft actor-critic, for continuous actions.", _SAC, ["Box"]),
    _algorithm(
        "td3", "TD3", "Twin delayed DDPG, for continuous actions.",
        {**_DDPG, "policy_delay": 2, "target_policy_noise": 0.2, "target_noise_clip": 0.5}, ["Box"],
    ),
    _algorithm("ddpg", "DDPG", "Deep deterministic policy gradient.", _DDPG, ["Box"]),
    _algorithm(
        "trpo", "TRPO", "Trust region policy optimisation.",
        {
            "learning_rate": 1e-3, "n_steps": 2048, "batch_size": 128, **ACTOR_CRITIC, "cg_max_steps": 15,
            "cg_damping": 0.1, "line_search_shrinking_factor": 0.8, "line_search_max_iter": 10,
            "n_critic_updates": 10, "normalize_advantage": True, "target_kl": 0.01, "sub_sampling_factor": 1,
        },
        ANY_ACTION,
    ),
    _algorithm(
        "qrdqn", "QR-DQN", "Quantile regression DQN, for discrete actions.",
        {
            **_DQN, "learning_rate": 5e-5, "exploration_fraction": 0.005, "exploration_final_eps": 0.01,
            "max_grad_norm": None,
        },
        ["Discrete"],
    ),
    _algorithm(
        "recurrent_ppo", "Recurrent PPO", "PPO with an LSTM: for what cannot be seen at one glance.",
        {**_PPO, **_SDE, "n_steps": 128, "batch_size": 128}, ANY_ACTION,
    ),
    _algorithm(
        "tqc", "TQC", "Truncated quantile critics, for continuous actions.",
        {**_SAC, "top_quantiles_to_drop_per_net": 2}, ["Box"],
    ),
    _algorithm(
        "maskable_ppo", "Maskable PPO", "PPO for environments that say which actions are possible.",
        _PPO, ["Discrete", "MultiDiscrete", "MultiBinary"], masks=True,
    ),
]  # fmt: skip

RUNNER = family_runner(
    "sb3",
    title="Stable-Baselines3",
    text="Reliable implementations in PyTorch, with those of sb3-contrib.",
    algorithms=_ALGORITHMS,
    packages=[STABLE_BASELINES, "sb3-contrib==2.9.2"],
    imports=["stable_baselines3", "sb3_contrib", "torch", "gymnasium"],
    url="https://stable-baselines3.readthedocs.io",
    own_members=["data", "policy.pth", "_stable_baselines3_version"],
)
