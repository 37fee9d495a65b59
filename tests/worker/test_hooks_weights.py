"""Which files written with numpy or pickle count as a policy."""

from __future__ import annotations

import pytest

from mosaic_worker.hooks.weights import holds_policy, is_hidden


class Net:
    def state_dict(self) -> dict[str, int]:
        return {}


@pytest.mark.parametrize(
    "path",
    [
        "/w/q_table.npy",
        "/w/QTable.pkl",
        "/w/policy-1000.pkl",
        "/w/ckpt_10.npz",
        "/w/checkpoints/10.pkl",
        "/w/bestModel.pkl",
        "/w/actor_critic.pickle",
        "/w/model_weights.npz",
    ],
)
def test_a_name_with_a_word_for_a_policy_counts(path: str) -> None:
    assert holds_policy(path)


@pytest.mark.parametrize(
    "path",
    [
        "/w/obs_0001.npy",
        "/w/dataset.npz",
        "/w/replay_buffer.pkl",
        "/w/models/replay_buffer.pkl",
        "/w/policy_rewards.npy",
        "/w/agent_scores.pkl",
        "/w/remodelled.npy",
        "/dqn-agent/x.npy",
        "/w/x.npy",
    ],
)
def test_other_names_do_not(path: str) -> None:
    assert not holds_policy(path)


def test_what_has_weights_or_is_called_so_counts_whatever_its_file_is_called() -> None:
    assert holds_policy("/w/x.pkl", Net())
    assert holds_policy("/w/x.pkl", {"policy": 1, "step": 2})
    assert holds_policy("/w/x.npz", names=["weights", "bias"])
    assert not holds_policy("/w/x.pkl", {"step": 2, 3: 4})
    assert not holds_policy("/w/x.pkl", [1, 2])
    assert not holds_policy("/w/replay_buffer.pkl", {"policy": 1}), "a name that says what it is decides"


def test_a_cache_is_hidden_unless_the_script_or_its_run_lives_in_it() -> None:
    assert is_hidden("/home/me/.cache/lib/model.pkl", at_home=["/here"])
    assert not is_hidden("/home/me/.local/runs/1/model.pkl", at_home=["/work", "/home/me/.local/runs/1"])
    assert is_hidden("/here/.cache/model.pkl", at_home=["/here"])
    assert not is_hidden("/here/.model.pkl", at_home=["/here"]), "the file itself may be"
    assert not is_hidden("/workshop/model.pkl", at_home=["/here"])
