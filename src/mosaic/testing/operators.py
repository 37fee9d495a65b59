"""Whether an operator is one: for the tests of whoever writes it.

from mosaic.testing import check_operator

def test_my_operator(): assert check_operator("cmd:node mind.mjs", env_id="CartPole-v1") == []
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mosaic.app import playing, training
from mosaic.errors import LaunchRefusedError, UsageError
from mosaic.paths import DataRoot

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["check_operator"]

_EPISODES = 2


def check_operator(
    text: str,
    *,
    env_id: str = "CartPole-v1",
    parameters: Mapping[str, Any] | None = None,
    python: str | None = None,
    timeout_secs: float = 300.0,
) -> list[str]:
    """What is wrong with an operator; nothing when it is right.

    It is seated as `mosaic play` does it, in every seat of the environment, and plays two episodes.
    Nothing is recorded.

    Args:
        text: as people type it, such as `python:mind.py`.
        env_id: what it plays.
        parameters: `op.KEY` and `env.KEY`.
        python: the interpreter the environment runs in; by default this one.
        timeout_secs: how long it may take.
    """
    with tempfile.TemporaryDirectory(prefix="mosaic-operator-") as folder:
        try:
            plan = playing.plan(
                DataRoot(Path(folder)),
                env_id,
                {"*": text},
                python=python or sys.executable,
                seeds=range(1, _EPISODES + 1),
                parameters=dict(parameters or {}),
            )
            command = training.accept(plan).command
        except (UsageError, LaunchRefusedError) as error:
            return [str(error)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout_secs)
    except subprocess.TimeoutExpired:
        return [f"{_EPISODES} episodes of {env_id} took longer than {timeout_secs:g} s"]
    if done.returncode:
        return [done.stderr.strip() or f"the session ended with code {done.returncode}"]
    return []
