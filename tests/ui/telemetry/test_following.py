"""Streams of a real run on their own threads: from near the head, bounded, by cursor, and ended at once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from mosaic.protocol.rows import EpisodeRow
from mosaic.rpc.records import Batch, StepOf
from mosaic.ui.telemetry.following import follow_episodes, follow_steps
from tests.daemons import Daemon, daemon, until

__all__ = ["daemon"]


def post(call: Callable[[], object]) -> None:
    call()


def test_a_long_run_is_followed_from_its_end(daemon: Daemon, tmp_path: Path) -> None:
    script = tmp_path / "long.py"
    script.write_text(
        "import gymnasium as gym\n"
        "env = gym.make('CartPole-v1')\n"
        "for _ in range(150):\n"
        "    env.reset()\n"
        "    while not env.step(env.action_space.sample())[2]:\n"
        "        pass\n"
    )
    run_id = daemon.submit([sys.executable, str(script)]).run_id
    daemon.wait(run_id)
    until(lambda: daemon.client.run(run_id).episodes == 150, timeout_secs=60)
    steps: list[Batch[StepOf]] = []
    episodes: list[Batch[EpisodeRow]] = []
    ended: list[str] = []
    followers = (
        follow_steps(
            daemon.root,
            run_id,
            post=post,
            take=steps.append,
            lost=ended.append,
            complete=lambda: ended.append("steps"),
            keep=100,
        ),
        follow_episodes(
            daemon.root,
            run_id,
            post=post,
            take=episodes.append,
            lost=ended.append,
            complete=lambda: ended.append("episodes"),
            keep=20,
        ),
    )
    for follower in followers:
        assert follower.join(60)
    assert sorted(ended) == ["episodes", "steps"]
    found = [row.seq for batch in steps for _, row in batch.rows]
    assert 0 < len(found) <= 200
    assert found == sorted(set(found))
    assert found[-1] > daemon.client.run(run_id).store_seq - 10
    shown = {row.index for batch in episodes for row in batch.rows}
    assert shown == set(range(130, 150))


def test_what_is_stopped_tells_nothing_more_and_ends(daemon: Daemon, tmp_path: Path) -> None:
    script = tmp_path / "sleeps.py"
    script.write_text("import time\ntime.sleep(600)\n")
    run_id = daemon.submit([sys.executable, str(script)]).run_id
    told: list[object] = []
    follower = follow_steps(
        daemon.root, run_id, post=post, take=told.append, lost=told.append, complete=lambda: None, keep=100
    )
    until(lambda: told, timeout_secs=60)
    follower.stop()
    assert follower.join(60)
    before = len(told)
    daemon.client.stop(run_id)
    daemon.wait(run_id)
    assert len(told) == before


def test_without_a_daemon_it_says_so_and_starts_none(daemon: Daemon) -> None:
    daemon.client.shutdown()
    told: list[str] = []
    follower = follow_steps(
        daemon.root,
        "01JNONE000000000000000000A",
        post=post,
        take=lambda _: None,
        lost=told.append,
        complete=lambda: None,
        keep=100,
    )
    until(lambda: told, timeout_secs=60)
    follower.stop()
    assert follower.join(60)
    assert "daemon" in told[0]
