"""`mosaic trust`: exactly these bytes, and none of them loaded."""

from __future__ import annotations

import hashlib
import pickle
from typing import TYPE_CHECKING

from mosaic.rpc.launch import daemon_running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


def test_trusting_a_file_prints_its_hash_and_lets_it_be_asked_for(
    root: DataRoot, mosaic: Callable[..., Said], tmp_path: Path
) -> None:
    path = tmp_path / "downloaded.zip"
    path.write_bytes(b"weights")
    words = ("eval", str(path), "--runner", "sb3/ppo", "--env", "CartPole-v1", "--dry-run")
    untrusted = mosaic(*words)
    assert untrusted.code == 2
    assert f"mosaic trust {path}" in untrusted.err
    said = mosaic("trust", str(path))
    assert (said.code, said.out.split()[1]) == (0, str(path))
    assert said.out.split()[0] == hashlib.sha256(b"weights").hexdigest()
    after = mosaic(*words)
    assert "mosaic trust" not in after.err  # what is refused now is that sb3 is not installed
    path.write_bytes(b"changed")
    assert f"mosaic trust {path}" in mosaic(*words).err
    assert mosaic("trust", str(tmp_path / "none")).code == 2


def test_trusting_loads_nothing_and_needs_no_daemon(
    root: DataRoot, mosaic: Callable[..., Said], tmp_path: Path
) -> None:
    trap, path = tmp_path / "sprung", tmp_path / "policy.pkl"

    class Trap:
        def __reduce__(self) -> tuple[object, ...]:
            return open, (str(trap), "w")

    path.write_bytes(pickle.dumps(Trap()))
    for _ in range(2):  # once more changes nothing
        assert mosaic("trust", str(path)).code == 0
    assert not trap.exists()
    assert not daemon_running(root)


def test_what_is_no_file_cannot_be_trusted(
    root: DataRoot, mosaic: Callable[..., Said], tmp_path: Path
) -> None:
    for path in (tmp_path / "none", tmp_path):
        said = mosaic("trust", str(path))
        assert (said.code, said.out) == (2, "")
        assert str(path) in said.err
    assert mosaic("trust").code == 2
