from __future__ import annotations

import pytest

from mosaic.protocol.canonical import canonical_name


@pytest.mark.parametrize(
    ("source", "canonical"),
    [
        ("charts/episodic_return", "return"),
        ("rollout/ep_rew_mean", "return"),
        ("Train-Episode-Rewards/Env-1", "return"),
        ("charts/SPS", "sps"),
        ("time/fps", "sps"),
        ("train/value_loss", "loss/value_loss"),
        ("train/learning_rate", "lr"),
        ("losses/policy_loss", "loss/policy_loss"),
        ("learners/default_policy/total_loss", "loss/total_loss"),
        ("eval/mean_reward", "eval_return"),
        ("my/own/thing", None),
    ],
)
def test_the_names_of_the_frameworks_meet_in_ours(source: str, canonical: str | None) -> None:
    assert canonical_name(source) == canonical
