"""A worker from its first moment to its last: settings, forks, spawns, threads, signals, deaths."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.worker.reading import record, site_of

if TYPE_CHECKING:
    from pathlib import Path

NOTE = "import mosaic_worker as mosaic\nrun = mosaic.start()\n"


def test_the_explicit_api_records(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        NOTE + "run.metric('loss', 0.5, step=3)\nmosaic.config(algo='mine', lr=0.1)\nrun.note('hi')\n"
        "open('model.bin', 'w').write('w')\nrun.checkpoint('model.bin', step=4)\nprint(run.recording)",
    )
    assert (done.stderr, done.stdout) == ("", "True\n")
    assert [event["type"] for event in done.events()] == [
        "hello", "metric", "config", "log", "checkpoint", "bye",
    ]  # fmt: skip


def test_outside_a_run_the_api_does_nothing_and_says_how_to_record(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NOTE + "run.metric('a', 1)\nmosaic.start()\nprint(run.recording)", "--seed"],
        env={"PYTHONPATH": str(site_of(tmp_path))}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "False\n"
    assert done.stderr == "mosaic: not recording; this would: mosaic run -- python -c --seed\n"


def test_a_process_that_records_nothing_leaves_nothing(tmp_path: Path) -> None:
    done = record(tmp_path, "print(1)")
    assert done.stdout == "1\n"
    assert not done.run_dir.exists()


def test_nothing_heavy_is_imported_for_a_script_that_does_not(tmp_path: Path) -> None:
    heavy = "('numpy', 'msgspec', 'gymnasium', 'multiprocessing', 'logging', 'asyncio')"
    done = record(tmp_path, f"import sys, json\nprint(json.dumps([n for n in {heavy} if n in sys.modules]))")
    assert done.said == []


def test_settings_that_make_no_sense_are_said_and_defaults_used(tmp_path: Path) -> None:
    done = record(tmp_path, NOTE + "run.note('x')", MOSAIC_RECORD="[1")
    assert "MOSAIC_RECORD is not a JSON object" in done.stderr
    assert len(done.events("log")) == 1


def test_observations_over_the_set_limit_become_checksums(tmp_path: Path) -> None:
    script = """
    import gymnasium as gym
    env = gym.make("CartPole-v1")
    env.reset(seed=1)
    env.step(0)
    """
    done = record(tmp_path, script, MOSAIC_RECORD=json.dumps({"obs_inline_bytes": 8}))
    assert "crc32" in done.events("step")[0]["obs"]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_record_as_producers_of_their_own(tmp_path: Path, method: str) -> None:
    done = record(
        tmp_path,
        f"""
        import multiprocessing, os
        import gymnasium as gym
        import mosaic_worker

        def work(n):
            env = gym.make("CartPole-v1")
            env.reset(seed=n)
            for _ in range(n):
                env.step(0)

        if __name__ == "__main__":
            work(1)
            context = multiprocessing.get_context({method!r})
            children = [context.Process(target=work, args=(n,)) for n in (2, 3)]
            for child in children:
                child.start()
            for child in children:
                child.join()
                assert child.exitcode == 0
            mosaic_worker.note("parent goes on")
        """,
    )
    assert done.code == 0, done.stderr
    assert done.stderr == ""
    found = done.producers
    assert sorted(sum(e["type"] == "step" for e in events) for events in found.values()) == [1, 2, 3]
    assert all(events[-1]["type"] == "bye" for events in found.values())


def test_a_child_forked_in_mid_episode_leaves_the_parents_episode_alone(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
        import os
        import gymnasium as gym
        env = gym.make("CartPole-v1")
        env.reset(seed=1)
        env.step(0)
        pid = os.fork()
        for _ in range(2):
            env.step(1)
        if pid == 0:
            env.reset(seed=2)
            env.step(0)
            os._exit(0)
        os.waitpid(pid, 0)
        """,
    )
    assert done.stderr == ""
    steps = sorted(len([e for e in events if e["type"] == "step"]) for events in done.producers.values())
    assert steps == [1, 3]


def test_threads_record_side_by_side(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
        import json, threading
        import gymnasium as gym
        totals = {}
        def work(seed):
            env = gym.make("CartPole-v1")
            env.action_space.seed(seed)
            env.reset(seed=seed)
            count = 0
            for _ in range(300):
                *_, terminated, truncated, _ = env.step(env.action_space.sample())
                if terminated or truncated:
                    count += 1
                    env.reset()
            totals[seed] = count
        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        print(json.dumps(sum(totals.values())))
        """,
    )
    assert done.stderr == ""
    assert sum(e["outcome"] == "terminated" for e in done.events("episode")) == done.said
    assert len(done.events("step")) == 1200


@pytest.mark.parametrize(
    "death", ["os._exit(3)", "os.kill(os.getpid(), 9)", "os.kill(os.getpid(), 15)", "os.abort()"]
)
def test_sudden_death_keeps_every_line(tmp_path: Path, death: str) -> None:
    done = record(tmp_path, NOTE + f"import os\nfor n in range(100): run.metric('n', n)\n{death}")
    assert done.code != 0
    assert [event["value"] for event in done.events("metric")] == list(range(100))
    assert done.events("bye") == []


def test_an_exception_or_exit_still_says_bye(tmp_path: Path) -> None:
    done = record(tmp_path, NOTE + "run.note('x')\nraise SystemExit(4)")
    assert done.code == 4
    assert done.events()[-1]["type"] == "bye"


def test_an_interrupted_script_may_go_on_stepping(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
        import json, signal
        import gymnasium as gym
        signal.signal(signal.SIGVTALRM, signal.default_int_handler)
        env = gym.make("CartPole-v1")
        env.reset(seed=1)
        returned = 0
        for _ in range(60):
            try:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0.002)
                for _ in range(100_000):  # ends by itself should an interrupt get lost in a finalizer
                    *_, terminated, truncated, _ = env.step(0)
                    returned += 1
                    if terminated or truncated:
                        env.reset()
            except KeyboardInterrupt:
                pass
        print(json.dumps(returned))
        """,
    )
    assert done.code == 0, done.stderr
    steps = done.events("step")
    assert len({(step["episode_id"], step["step"]) for step in steps}) == len(steps)
    assert done.said <= len(steps) <= done.said + 60


def test_without_numpy_and_msgspec_everything_still_works(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
        import sys
        sys.modules["numpy"] = sys.modules["msgspec"] = None  # as if not installed
        import json, types
        from mosaic_worker import current
        from mosaic_worker.episodes import Track
        track = Track(current())
        track.begin((0.5, float("inf")), options={"a": b"x"})
        track.step({"x": (1, 2)}, [0.1, -0.0], 1, False, True)
        current().metric("m", 2)
        """,
    )
    assert done.stderr == ""
    (step,) = done.events("step")
    assert (step["obs"], step["action"], step["reward"]) == ([0.1, -0.0], {"x": [1, 2]}, 1.0)
    assert done.events("reset")[0]["obs"] == [0.5, "Infinity"]
