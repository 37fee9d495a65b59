"""What a checkpoint says of itself, without the framework; with it: tests/frameworks."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from mosaic_worker.drivers.sb3_family.files import algorithm_of

ON_POLICY = ("gae_lambda", "rollout_buffer_class")


def saved(module: str, *settings: str) -> io.BytesIO:
    file = io.BytesIO()
    data: dict[str, Any] = dict.fromkeys(settings, 1)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("data", json.dumps({**data, "policy_class": {"__module__": module}}))
    file.seek(0)
    return file


@pytest.mark.parametrize(
    ("algorithm", "module", "settings"),
    [
        ("ppo", "stable_baselines3.common.policies", (*ON_POLICY, "n_epochs", "batch_size")),
        ("a2c", "stable_baselines3.common.policies", ON_POLICY),
        ("trpo", "my.policies", (*ON_POLICY, "cg_max_steps", "batch_size")),
        ("recurrent_ppo", "sb3_contrib.common.recurrent.policies", (*ON_POLICY, "n_epochs")),
        ("maskable_ppo", "sb3_contrib.common.maskable.policies", (*ON_POLICY, "n_epochs")),
        ("dqn", "stable_baselines3.dqn.policies", ("exploration_fraction", "tau")),
        ("qrdqn", "sb3_contrib.qrdqn.policies", ("exploration_fraction", "n_quantiles")),
        ("sac", "stable_baselines3.sac.policies", ("target_entropy", "tau")),
        ("tqc", "sb3_contrib.tqc.policies", ("target_entropy", "top_quantiles_to_drop_per_net")),
        ("td3", "stable_baselines3.td3.policies", ("policy_delay", "tau")),
        ("", "somebody.elses", ("learning_rate",)),
    ],
)
def test_the_algorithm_is_known_by_its_settings(
    algorithm: str, module: str, settings: tuple[str, ...]
) -> None:
    file = saved(module, *settings)
    assert algorithm_of(file) == algorithm
    assert file.tell() == 0  # to be loaded next


@pytest.mark.parametrize("data", ["[]", "{", '{"policy_class": 3}'])
def test_what_is_no_such_file_has_none(data: str) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("data", data)
    assert algorithm_of(file) == ""
    assert algorithm_of(io.BytesIO(b"not a zip")) == ""
