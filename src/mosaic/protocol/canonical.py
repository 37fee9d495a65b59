"""One name for what every framework calls differently. Pure."""

from __future__ import annotations

import re

__all__ = ["canonical_name"]

_EXACT = {
    "return": "return",
    "charts/episodic_return": "return",
    "rollout/ep_rew_mean": "return",
    "env_runners/episode_return_mean": "return",
    "episode_return_mean": "return",
    "episode_reward_mean": "return",
    "training/returns_stat/mean": "return",
    "Training Reward": "return",
    "length": "length",
    "charts/episodic_length": "length",
    "rollout/ep_len_mean": "length",
    "env_runners/episode_len_mean": "length",
    "episode_len_mean": "length",
    "training/lens_stat/mean": "length",
    "Episode Length": "length",
    "eval/episodic_return": "eval_return",
    "eval/mean_reward": "eval_return",
    "test/returns_stat/mean": "eval_return",
    "Test-Episode-Rewards/Mean-Score": "eval_return",
    "Evaluation Reward": "eval_return",
    "charts/SPS": "sps",
    "time/fps": "sps",
    "global_step": "steps",
    "time/total_timesteps": "steps",
    "num_env_steps_sampled_lifetime": "steps",
    "env_step": "steps",
    "Total steps": "steps",
    "charts/learning_rate": "lr",
    "train/learning_rate": "lr",
    "learning_rate": "lr",
    "lr": "lr",
    "Loss/Mean": "loss/mean",
    "loss": "loss/total",
}

_PATTERNS = (
    (re.compile(r"Train-Episode-Rewards/.*"), "return"),
    (re.compile(r"evaluation/(?:.*/)?episode_(?:return|reward)_mean"), "eval_return"),
    (re.compile(r".*/collect_speed"), "sps"),
    (re.compile(r"losses/(.+)"), "loss/{0}"),
    (re.compile(r"train/(.+)"), "loss/{0}"),
    (re.compile(r"learners/(?:.*/)?([^/]+)"), "loss/{0}"),
    (re.compile(r"update/(.+)"), "loss/{0}"),
)


def canonical_name(source_name: str) -> str | None:
    """The canonical name of a metric, or None when we have none for it."""
    found = _EXACT.get(source_name)
    if found is not None:
        return found
    for pattern, template in _PATTERNS:
        match = pattern.fullmatch(source_name)
        if match:
            return template.format(*match.groups())
    return None
