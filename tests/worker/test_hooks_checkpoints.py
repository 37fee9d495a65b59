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


def test_a_save_to_an_open_file_is_listed_under_the_files_name(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import os, tempfile
        import torch
        with open("a.pt", "wb") as file:
            torch.save({}, file)
        fd, name = tempfile.mkstemp(dir=".")
        with os.fdopen(fd, "wb") as file:
            torch.save({}, file)
        os.replace(name, "b.pt")
        """,
    )
    found = [(c["path"], c["sha256"]) for c in done.of("checkpoint")]
    assert (found[0], found[-1]) == ((str(tmp_path / "a.pt"), WEIGHTS), (str(tmp_path / "b.pt"), WEIGHTS))
    assert len(found) == 3
    assert done.hook_errors == {}


def test_the_other_ways_to_save_weights_are_listed_too(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import torch.jit
        from torch.jit._script import RecursiveScriptModule
        from stable_baselines3.common.vec_env.vec_normalize import VecNormalize
        torch.jit.save(RecursiveScriptModule(), "a.jit")
        RecursiveScriptModule().save("b.jit")
        VecNormalize().save("statistics.pkl")
        """,
    )
    assert [(c["path"], c["kind"]) for c in done.of("checkpoint")] == [
        (str(tmp_path / "a.jit"), "torch"),
        (str(tmp_path / "b.jit"), "torch"),
        (str(tmp_path / "statistics.pkl"), "vecnormalize"),
    ]
    assert done.hook_errors == {}


def test_of_what_numpy_and_pickle_write_the_policies_are_listed(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import io, os, pathlib, pickle
        import cloudpickle
        import numpy as np
        np.save("q_table", np.zeros(3))
        np.savez(pathlib.Path("all.npz"), weights=np.zeros(3), bias=np.zeros(3))
        np.savez_compressed("policy.npz", np.zeros(3))
        pickle.dump({"policy": 1}, open("a.pkl", "wb"))
        pickle.dump([1], file=open("agent.pkl", "wb"))
        with open("model.pkl", "wb") as file:
            cloudpickle.dump([1], file)
        for number in range(3):
            np.save(f"obs_{number}.npy", np.zeros(3))
            np.savez("dataset.npz", rewards=np.zeros(3))
            pickle.dump([1], open("cache.pkl", "wb"))
        os.mkdir(".cache")
        pickle.dump([1], open(".cache/model.pkl", "wb"))
        pickle.dump({"policy": 1}, io.BytesIO())
        """,
    )
    assert [(c["path"], c["kind"]) for c in done.of("checkpoint")] == [
        (str(tmp_path / "q_table.npy"), "numpy"),
        (str(tmp_path / "all.npz"), "numpy"),
        (str(tmp_path / "policy.npz"), "numpy"),
        (str(tmp_path / "a.pkl"), "pickle"),
        (str(tmp_path / "agent.pkl"), "pickle"),
        (str(tmp_path / "model.pkl"), "cloudpickle"),
    ]
    for found in done.of("checkpoint"):
        content = (tmp_path / found["path"]).read_bytes()
        assert found["sha256"] == hashlib.sha256(content).hexdigest(), found["path"]
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
        for function in (save, pickle.dump):
            assert pickle.loads(pickle.dumps(function)) is function
        """,
    )
    assert done.hook_errors == {}


def test_what_a_driver_saves_is_listed_by_the_driver_alone(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import torch
        from mosaic_worker.drivers.kit.saving import Saver
        saver = Saver(suffix=".pt", kind="mine", about={})
        saver.save(lambda file: torch.save({}, file), step=7, reason="final")
        torch.save({}, "own.pt")
        """,
    )
    assert [(c["path"], c["kind"], c.get("step")) for c in done.of("checkpoint")] == [
        ("checkpoints/final-000000007.pt", "mine", 7),
        (str(tmp_path / "own.pt"), "torch", None),
    ]
    assert done.hook_errors == {}
