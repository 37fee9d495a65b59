"""A branch is a new run that goes on from a recorded step."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mosaic.app.branching import branch
from mosaic.errors import UsageError
from tests.daemons import Daemon, daemon, until
from tests.replay.recorded import LOOP

__all__ = ["daemon"]


def test_the_new_run_begins_as_the_recorded_one_and_knows_its_parent(daemon: Daemon, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(LOOP.format(imports="", make='"CartPole-v1"', seed=5, episodes=1, steps=50))
    old = daemon.submit([sys.executable, str(script)]).run_id
    daemon.wait(old)
    until(lambda: daemon.client.run(old).episodes == 1, timeout_secs=60)
    new = branch(daemon.root, old, 0, 6)
    row = daemon.wait(new)
    assert (row.state.value, row.parent) == ("finished", old)
    until(lambda: daemon.client.run(new).episodes == 1, timeout_secs=60)
    recorded = [step.action for _, step in daemon.client.episode_steps(old, 0)]
    played = [step.action for _, step in daemon.client.episode_steps(new, 0)]
    assert played[:6] == recorded[:6]
    with pytest.raises(UsageError, match="branch from 0 to"):
        branch(daemon.root, old, 0, 9999)
