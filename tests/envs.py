"""Cached virtual environments with real frameworks in them, outside the checkout. Refuses unknown names.

Each lives in `$MOSAIC_TEST_CACHE/<name>-<hash of its pins>` (default `~/.cache/mosaic-tests`), so a changed
pin makes a new one and a second run costs nothing. A folder counts only once its `complete` file is there;
what an interrupted build left is thrown away. `python tests/envs.py [NAME...]` builds them, all by default.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

__all__ = ["ENVS", "WITHOUT_TORCH", "EnvBuildError", "cache_root", "folder_of", "python_of"]

TORCH = "torch==2.13.0"

ENVS: dict[str, tuple[str, ...]] = {
    "sb3": (
        "stable-baselines3==2.9.2",
        "sb3-contrib==2.9.2",
        "gymnasium[classic-control]==1.4.0",
        "tensorboard==2.21.0",
        "msgspec==0.22.0",
        "numpy==2.4.6",
    ),
    "sbx": (
        "sbx-rl==0.28.0",
        "stable-baselines3==2.9.2",
        "gymnasium[classic-control]==1.4.0",
        "msgspec==0.22.0",
        "numpy==2.4.6",
    ),
    "cleanrl": (
        "gymnasium[classic-control]==0.29.1",
        "tensorboard==2.21.0",
        "tyro==1.0.5",  # what published single-file scripts read their command line with
    ),
    "trackers": (
        "tensorboard==2.21.0",
        "tensorboardX==2.6.4",
        "wandb==0.31.0",
        "safetensors==0.8.0",
        "numpy==2.4.6",
    ),
    "envpool": ("envpool==1.2.5", "gymnasium==1.4.0", "numpy==2.4.6"),
    "gymnasium029": ("gymnasium==0.29.1", "numpy==1.26.4"),
    "gym026": ("gym==0.26.2", "numpy==1.26.4"),
    "envs": (
        "gymnasium[classic-control,box2d,mujoco,toy-text]==1.4.0",
        "ale-py==0.12.1",
        "minigrid==3.2.0",
        "numpy==2.4.6",
    ),
    "minari": (  # Pillow: its HDF5 needs it and does not say so; its extra `create` would bring jax
        "minari==0.5.4",
        "h5py==3.16.0",
        "pillow==13.0.0",
        "gymnasium[classic-control]==1.4.0",
        "numpy==2.4.6",
    ),
}
"""What each environment holds besides torch, which always comes first and is held by a constraint: the CPU
build the machine's pip settings point at must not be replaced by one that brings gigabytes of CUDA along."""
WITHOUT_TORCH = frozenset({"envpool", "envs", "gym026", "gymnasium029", "minari"})


class EnvBuildError(Exception):
    """An environment could not be built; says the command and the last lines of its output."""


def cache_root() -> Path:
    """Where the environments live."""
    return Path(os.environ.get("MOSAIC_TEST_CACHE", "") or Path.home() / ".cache" / "mosaic-tests")


def folder_of(name: str) -> Path:
    """Where environment `name` lives, whether it is built or not."""
    pins = "\n".join((*(() if name in WITHOUT_TORCH else (TORCH,)), *ENVS[name], sys.version))
    return cache_root() / f"{name}-{hashlib.sha256(pins.encode()).hexdigest()[:12]}"


def python_of(name: str) -> Path:
    """The interpreter of environment `name`, built first when it is not there yet.

    Raises:
        EnvBuildError: when the installer fails.
        KeyError: for a name that is not in `ENVS`.
    """
    folder = folder_of(name)
    complete = folder / "complete"
    python = folder / "bin" / "python"
    if complete.exists():
        return python
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # SYNC: two test processes must not build into the same folder
        if not complete.exists():
            shutil.rmtree(folder, ignore_errors=True)
            _build(name, folder)
            complete.touch()
    return python


def _build(name: str, folder: Path) -> None:
    started = time.monotonic()
    constraint = folder.parent / f"{folder.name}.constraint"
    constraint.write_text(TORCH + "\n")
    uv = _find_uv()
    _say(f"{name}: new environment in {folder} ({'uv' if uv else 'pip: slow, install uv to speed it up'})")
    if uv:
        create = [*uv, "venv", "--quiet", "--python", sys.executable, str(folder)]
        install = [*uv, "pip", "install", "--python", str(folder / "bin" / "python")]
    else:
        create = [sys.executable, "-m", "venv", str(folder)]
        install = [str(folder / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check"]
    _run(create)
    if name not in WITHOUT_TORCH:
        _say(f"{name}: {TORCH}")
        _run([*install, TORCH])
    _say(f"{name}: {' '.join(ENVS[name])}")
    _run([*install, "--constraint", str(constraint), *ENVS[name]])
    _say(f"{name}: ready after {time.monotonic() - started:.0f} s")


def _find_uv() -> list[str] | None:
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.exists() else shutil.which("uv")
    return [found] if found else None


def _run(command: list[str]) -> None:
    env = dict(os.environ)
    if env.get("PIP_FIND_LINKS"):
        env.setdefault("UV_FIND_LINKS", env["PIP_FIND_LINKS"])
    done = subprocess.run(
        command,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-20:])
        raise EnvBuildError(f"{' '.join(command)} ended with {done.returncode}:\n{tail}")


def _say(text: str) -> None:
    print(f"[test environments] {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or list(ENVS):
        if wanted not in ENVS:
            sys.exit(f"There is no test environment {wanted!r}. Known: {', '.join(ENVS)}.")
        python_of(wanted)
