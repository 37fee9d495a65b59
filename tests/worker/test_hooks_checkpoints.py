"""Which saved files reach the journal, and under which name."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from tests.worker.stand_ins import run

if TYPE_CHECKING:
    from pathlib import Path

WEIGHTS = hashlib.sha256(b"weights").hexdigest()


def test_a_file_saved_with_torch_is_listed_with_its_hash_and_a_stream_is_not(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import io, os, pathlib
        import torch
        torch.save({}, "a.pt")
        torch.save({}, f=pathlib.Path("b.pt"))
        torch.save({}, io.BytesIO())
        torch.save({}, os.devnull)
        """,
    )
    found = [(c["path"], c["sha256"], c["bytes"], c["kind"]) for c in done.of("checkpoint")]
    assert found == [(str(tmp_path / name), WEIGHTS, 7, "torch") for name in ("a.pt", "b.pt")]
    assert done.hook_errors == {}


def test_a_save_inside_a_save_counts_once(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import io
        from safetensors.torch import save_file
        from stable_baselines3.common.base_class import PPO
        save_file({}, "model.safetensors")
        model = PPO()
        model.learn(64)
        model.save("policy")
        model.save("policy.v2")
        model.save(io.BytesIO())
        """,
    )
    found = [(c["path"], c["kind"], c.get("step")) for c in done.of("checkpoint")]
    assert found == [
        (str(tmp_path / "model.safetensors"), "safetensors", None),
        (str(tmp_path / "policy.zip"), "sb3", 64),
        (str(tmp_path / "policy.v2"), "sb3", 64),
    ]
    assert done.hook_errors == {}


def test_a_save_that_fails_is_the_scripts_own_error_and_is_not_listed(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import torch
        try:
            torch.save({}, "no/such/folder/a.pt")
        except FileNotFoundError:
            print("caught")
        """,
    )
    assert "caught" in done.stdout
    assert done.of("checkpoint") == []


def test_a_hooked_function_can_still_be_pickled_by_name(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import pickle
        from torch import save
        assert pickle.loads(pickle.dumps(save)) is save
        """,
    )
    assert done.hook_errors == {}
