"""What every runner must be able to do, as a user would do it: install, train, replay, evaluate, stop.

One helper for all of them, so that no runner is let off lightly. Runners' environments are built under the
cache of the test environments, so that the second time is quick; the data root is clean every time.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.envs import cache_root

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.acceptance import Workbench

__all__ = ["WORKBENCH", "Journey", "make_journey"]

_PATIENCE_SECS = 600.0


@dataclass(frozen=True)
class Journey:
    """What to train, and what must be found afterwards.

    Args:
        target: `RUNNER/ALGORITHM`.
        env_id: the environment.
        steps: how long to train.
        words: more words for `mosaic train`.
        metrics: names that must have been recorded, and what they are called by MOSAIC (or None).
        slack: how many steps fewer than asked a training may make (whole rollouts only).
    """

    target: str
    env_id: str = "CartPole-v1"
    steps: int = 3000
    words: tuple[str, ...] = ()
    metrics: Mapping[str, str | None] = field(default_factory=dict)
    slack: int = 0

    @property
    def runner(self) -> str:
        """The runner's id."""
        return self.target.partition("/")[0]


WORKBENCH = {
    "MOSAIC_ENVS_DIR": str(cache_root() / "runners"),
    "MOSAIC_STOP_INT_SECS": "60",  # saving takes its time on a busy machine
    "CUDA_VISIBLE_DEVICES": "",
    "OMP_NUM_THREADS": "1",  # networks this small are slowed by threads that wait for each other
}
"""Variables for the workbench of a journey."""


def make_journey(bench: Workbench, journey: Journey) -> None:
    """The whole way of one runner, on a clean data root."""
    install(bench, journey)
    run = train(bench, journey)
    replay(bench, run)
    evaluated = evaluate(bench, f"{run}:final", journey)
    replay(bench, evaluated)
    play(bench, f"{run}:final", evaluated, journey)
    stopped = stop(bench, journey)
    evaluate(bench, f"{stopped}:last", journey)


def ok(bench: Workbench, *words: str) -> str:
    """Call `mosaic`; it must succeed. What it printed."""
    done = bench.call(*words, timeout_secs=900.0)
    assert done.returncode == 0, f"mosaic {' '.join(words)}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def shown(bench: Workbench, run: str) -> dict[str, Any]:
    """What `mosaic show` says of a run."""
    found: dict[str, Any] = json.loads(ok(bench, "show", run, "--json"))
    return found


def install(bench: Workbench, journey: Journey) -> None:
    """The runner's environment is there and proved, and the list says so."""
    ok(bench, "runners", "install", journey.runner)
    listed = {row["id"]: row for row in json.loads(ok(bench, "runners", "ls", "--json"))}
    assert listed[journey.runner]["state"] in ("ready", "builtin"), listed[journey.runner]


def train(bench: Workbench, journey: Journey) -> str:
    """A training to its end: episodes, metrics under both names, a final checkpoint. The run's id."""
    ok(
        bench,
        "train",
        journey.target,
        journey.env_id,
        "--steps",
        str(journey.steps),
        "--seed",
        "1",
        *journey.words,
    )
    found = shown(bench, "last")
    assert found["state"] == "finished", found
    assert found["episodes"] > 0
    assert found["steps"] >= journey.steps - journey.slack
    assert (found["quarantined"], found["lag_events"]) == (0, 0)
    run: str = found["run_id"]
    names = {row["name"]: row.get("canonical") for row in bench.ask("metrics", run)}
    for source, canonical in journey.metrics.items():
        assert source in names, f"{source} was not recorded; there are {sorted(names)}"
        assert names[source] == canonical, f"{source} is {names[source]}"
    assert checkpoints(bench, run)["final"] == 1
    ok(bench, "verify", run)
    return run


def checkpoints(bench: Workbench, run: str) -> dict[str, int]:
    """How many checkpoints of each reason a run has; each is listed with its runner and is intact."""
    reasons: dict[str, int] = {}
    for row in bench.ask("checkpoints", run):
        reason = row["meta"].get("reason", "")
        reasons[reason] = reasons.get(reason, 0) + 1
    return reasons


def replay(bench: Workbench, run: str) -> None:
    """Every recorded episode is simulated again, bit for bit."""
    done = bench.call("replay", run, "--all", "--verify", timeout_secs=900.0)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "replayed exactly" in done.stderr, done.stderr


def evaluate(bench: Workbench, checkpoint: str, journey: Journey) -> str:
    """A checkpoint plays, as a run like any other. The run's id."""
    ok(bench, "eval", checkpoint, "--episodes", "2", "--seed", "7")
    found = shown(bench, "last")
    assert found["state"] == "finished", found
    whole = [row for row in bench.ask("episodes", found["run_id"]) if row["outcome"] != "cut"]
    assert len(whole) == 2
    names = {row["name"] for row in bench.ask("metrics", found["run_id"])}
    assert "eval/mean_reward" in names, f"{journey.target}: {names}"
    run: str = found["run_id"]
    return run


def play(bench: Workbench, checkpoint: str, evaluated: str, journey: Journey) -> None:
    """The checkpoint decides in a session of another interpreter, just as it did in its own evaluation."""
    words = [word for word in journey.words if word.startswith("env.")]
    card = json.loads(ok(bench, "runners", "show", journey.runner, "--json"))
    if not card["capabilities"].get("supports_play"):
        refused = bench.call("play", journey.env_id, "--operator", checkpoint)
        assert (refused.returncode, "evaluate it instead" in refused.stderr) == (2, True), refused.stderr
        return
    ok(bench, "play", journey.env_id, "--operator", checkpoint, "--seeds", "7-8", *words)
    found = shown(bench, "last")
    assert (found["state"], found["kind"]) == ("finished", "session"), found
    first, second = bench.ask("episodes", "last")
    assert second["seed"] == 8
    (same,) = [row for row in bench.ask("episodes", evaluated) if row["seed"] == 7][:1]
    assert (first["return"], first["steps"]) == (same["return"], same["steps"])
    decisions = bench.ask("events", "last", "--kind", "decision")
    assert len(decisions) == first["steps"] + second["steps"]
    assert all(row["ms"] > 0 for row in decisions)  # each came from the child
    replay(bench, "last")
    # From the middle of what it played itself, it goes on just as it did.
    middle = first["steps"] // 2
    ok(bench, "branch", found["run_id"], "-e", "0", "--step", str(middle), "--operator", checkpoint)
    (again,) = bench.ask("episodes", "last")
    assert (again["return"], again["steps"]) == (first["return"], first["steps"])
    assert [row["step"] for row in bench.ask("events", "last", "--kind", "decision")] == list(
        range(middle, first["steps"])
    )
    replay(bench, "last")


def stop(bench: Workbench, journey: Journey) -> str:
    """A training that is stopped in the middle ends as stopped and leaves a checkpoint. The run's id."""
    said = ok(
        bench,
        "train",
        journey.target,
        journey.env_id,
        "--steps",
        "50000000",
        "--seed",
        "2",
        "--detach",
        *journey.words,
    )
    run = said.split()[-1]
    until = time.monotonic() + _PATIENCE_SECS
    while shown(bench, run)["steps"] < journey.steps // 2:
        assert time.monotonic() < until, f"{journey.target} does not get going: {shown(bench, run)}"
        time.sleep(0.5)
    ok(bench, "stop", run, "--wait", str(_PATIENCE_SECS))
    assert shown(bench, run)["state"] == "stopped", shown(bench, run)
    until = time.monotonic() + _PATIENCE_SECS
    while shown(bench, run)["lag_events"]:  # what it wrote last is on its way into the store
        assert time.monotonic() < until, f"{journey.target} is not stored: {shown(bench, run)}"
        time.sleep(0.5)
    assert checkpoints(bench, run)["stop"] == 1
    return run
