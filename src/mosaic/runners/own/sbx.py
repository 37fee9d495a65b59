"""The card of `sbx`: Stable-Baselines3's algorithms in JAX. Defaults are the framework's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mosaic.runners.own.sb3_family import ANY_ACTION, STABLE_BASELINES, algorithm, family_runner
from mosaic.runners.own.sb3_parameters import OFF_POLICY

if TYPE_CHECKING:
    from mosaic.protocol.cards import Algorithm

__all__ = ["RUNNER"]

_CRITIC: dict[str, Any] = {"learning_rate": 3e-4, "qf_learning_rate": None, **OFF_POLICY}
_ENTROPY: dict[str, Any] = {
    "ent_coef": "auto", "target_entropy": "auto", "use_sde": False, "sde_sample_freq": -1,
}  # fmt: skip


def _algorithm(
    name: str, title: str, text: str, own: dict[str, Any], *, actions: list[str], policies: list[str]
) -> Algorithm:
    observations = ["Box", "Dict"] if "MultiInputPolicy" in policies else ["Box"]
    return algorithm(name, title, text, own, actions=actions, observations=observations, policies=policies)


_PIXELS = ["MlpPolicy", "CnnPolicy"]
_MAPS = ["MlpPolicy", "MultiInputPolicy"]
_SIMBA = [*_MAPS, "SimbaPolicy"]
_ALGORITHMS = [
    _algorithm(
        "ppo", "PPO", "Proximal policy optimisation: a sound first choice.",
        {
            "learning_rate": 3e-4, "n_steps": 2048, "batch_size": 64, "n_epochs": 10, "gamma": 0.99,
            "gae_lambda": 0.95, "clip_range": 0.2, "normalize_advantage": True, "ent_coef": 0.0,
            "vf_coef": 0.5, "max_grad_norm": 0.5, "target_kl": None, "use_sde": False, "sde_sample_freq": -1,
        },
        actions=ANY_ACTION, policies=_PIXELS,
    ),
    _algorithm(
        "dqn", "DQN", "Deep Q-learning, for discrete actions.",
        {
            **OFF_POLICY, "learning_rate": 1e-4, "batch_size": 32, "tau": 1.0, "train_freq": 4,
            "target_update_interval": 1000, "exploration_fraction": 0.1, "exploration_initial_eps": 1.0,
            "exploration_final_eps": 0.05,
        },
        actions=["Discrete"], policies=_PIXELS,
    ),
    _algorithm(
        "sac", "SAC", "Soft actor-critic, for continuous actions.",
        {**_CRITIC, "policy_delay": 1, **_ENTROPY}, actions=["Box"], policies=_SIMBA,
    ),
    _algorithm(
        "td3", "TD3", "Twin delayed DDPG, for continuous actions.",
        {**_CRITIC, "policy_delay": 2, "target_policy_noise": 0.2, "target_noise_clip": 0.5},
        actions=["Box"], policies=_MAPS,
    ),
    _algorithm(
        "ddpg", "DDPG", "Deep deterministic policy gradient.",
        {**_CRITIC, "qf_learning_rate": 1e-3}, actions=["Box"], policies=["MlpPolicy"],
    ),
    _algorithm(
        "tqc", "TQC", "Truncated quantile critics, for continuous actions.",
        {**_CRITIC, "policy_delay": 1, "top_quantiles_to_drop_per_net": 2, **_ENTROPY},
        actions=["Box"], policies=_SIMBA,
    ),
    _algorithm(
        "crossq", "CrossQ", "SAC with batch normalisation and no target network.",
        {
            **{name: value for name, value in _CRITIC.items() if name != "tau"},
            "learning_rate": 1e-3, "policy_delay": 3, **_ENTROPY,
        },
        actions=["Box"], policies=_SIMBA,
    ),
]  # fmt: skip

RUNNER = family_runner(
    "sbx",
    title="SBX",
    text="Stable-Baselines3's algorithms in JAX: compiled, fast on small networks.",
    algorithms=_ALGORITHMS,
    packages=["sbx-rl==0.28.0", STABLE_BASELINES],
    imports=["sbx", "jax", "stable_baselines3", "gymnasium"],
    url="https://github.com/araffin/sbx",
)
