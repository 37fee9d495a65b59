"""Real recorded runs without a daemon: a script runs as a worker would, and its journal is ingested."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

from ulid import ULID

from mosaic import worker_site
from mosaic.paths import DataRoot, RunFolder
from mosaic.protocol.runs import ExitRecord, Manifest, RunSpec
from mosaic.runs.files import write_json
from mosaic.store.ingest import RunIngest

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LOOP", "VECTOR", "record"]

LOOP = """
import sys
import gymnasium as gym
{imports}

env = gym.make({make})
env.action_space.seed({seed} or 0)
for episode in range({episodes}):
    obs, info = env.reset(seed={seed} if episode == 0 else None)
    for _ in range({steps}):
        obs, reward, terminated, truncated, info = env.step(env.action_space.sample())
        if terminated or truncated:
            break
env.close()
"""
"""An ordinary loop: only the first reset is seeded, or none is."""

VECTOR = """
import gymnasium as gym
{imports}

if __name__ == "__main__":
    envs = gym.make_vec({make}, num_envs={num_envs}, vectorization_mode="{mode}"{more})
    envs.action_space.seed(1)
    envs.reset(seed={seed})
    for _ in range({steps}):
        envs.step(envs.action_space.sample())
    envs.close()
"""
"""An ordinary vector loop; the environments restart by themselves."""


def record(
    home: Path,
    source: str,
    *,
    python: str | os.PathLike[str] = sys.executable,
    env: Mapping[str, str] | None = None,
    modules: Mapping[str, str] | None = None,
    to_stdout: bool = False,
    code: int = 0,
    timeout_secs: float = 110.0,
) -> RunFolder:
    """Run a script as `mosaic run` would, in a folder of its own with `modules` beside it; the run, ingested.

    With `to_stdout` what it prints is part of the run, as it always is under a shim. It must end with `code`.
    """
    root = DataRoot(home)
    site = worker_site.install(root)
    run_id = str(ULID())
    folder = root.run(run_id)
    folder.journal.mkdir(mode=0o700, parents=True)
    work = home.parent / f"work-{run_id}"
    work.mkdir()
    for name, text in (modules or {}).items():
        (work / name).write_text(dedent(text))
    script = work / "script.py"
    script.write_text(dedent(source))
    command = [os.fspath(python), str(script)]
    spec = RunSpec(run_id=run_id, command=command, cwd=str(work))
    write_json(folder.manifest, Manifest(spec=spec, created=0.0, host=socket.gethostname()))
    ours = {"PYTHONPATH": str(site), "MOSAIC_RUN_DIR": str(folder.path), "MOSAIC_RUN_ID": run_id}
    done = subprocess.run(
        command,
        cwd=work,
        env={**os.environ, **(env or {}), **ours},
        capture_output=True,
        text=True,
        timeout=timeout_secs,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "mosaic:" not in done.stderr, done.stderr
    if to_stdout:
        folder.stdout.write_text(done.stdout)
    write_json(folder.exit, ExitRecord(code=0))
    with RunIngest(folder) as ingest:
        while not ingest.settle():
            pass
    return folder
