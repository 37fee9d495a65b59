"""What the tests of `sb3` and `sbx` share: their cards against the framework, and every algorithm's life."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.envs import python_of

if TYPE_CHECKING:
    from mosaic.protocol.cards import RunnerCard

__all__ = ["assert_card_is_true", "assert_every_algorithm_lives"]

SOURCE = Path(__file__).parents[2] / "src"
OURS = {
    "policy", "net_arch", "normalize", "save_replay_buffer", "checkpoint_every", "keep_checkpoints", "device",
}  # fmt: skip
_SIGNATURES = """
import importlib, inspect, json, sys
family = importlib.import_module("mosaic_worker.drivers." + sys.argv[1]).FAMILY
found = {}
for name, (module, kind) in family.classes.items():
    cls = getattr(importlib.import_module(module), kind)
    plain = (int, float, str, bool, type(None))
    found[name] = {
        "defaults": {k: v.default for k, v in inspect.signature(cls.__init__).parameters.items()
                     if isinstance(v.default, plain)},
        "policies": sorted(cls.policy_aliases),
    }
print(json.dumps(found))
"""


def _run(runner: str, *words: str, timeout_secs: float) -> str:
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [str(python_of(runner)), *words],
        env=env, capture_output=True, text=True, check=False, timeout=timeout_secs,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def assert_card_is_true(card: RunnerCard) -> None:
    """Every parameter of the card is one of the framework's, with the framework's own default."""
    found = json.loads(_run(card.id, "-c", _SIGNATURES, card.id, timeout_secs=600))
    for algorithm in card.algorithms:
        defaults = found[algorithm.id]["defaults"]
        for parameter in algorithm.parameters:
            if parameter.name not in OURS:
                assert parameter.name in defaults, f"{algorithm.id} has no {parameter.name}"
                assert parameter.default == defaults[parameter.name], f"{algorithm.id}.{parameter.name}"
            elif parameter.name == "policy":
                known = [name.replace("Lstm", "") for name in found[algorithm.id]["policies"]]
                assert set(parameter.choices) == {"auto", *known}, algorithm.id


def assert_every_algorithm_lives(card: RunnerCard, folder: Path) -> dict[str, dict[str, Any]]:
    """Every algorithm is trained, played, gone on with and warm-started. What each did, by its id."""
    program = Path(__file__).with_name("every_algorithm.py")
    out = _run(card.id, str(program), card.id, str(folder), timeout_secs=1700)
    found = {life["algorithm"]: life for life in map(json.loads, out.splitlines())}
    assert set(found) == {algorithm.id for algorithm in card.algorithms}
    for life in found.values():
        assert life["steps"] >= 128, life
        assert life["steps"] + 64 <= life["more"], life  # the step count goes on
        assert life["warm"] < life["steps"], life  # and begins anew
        assert life["played"].startswith("return "), life
        assert "it holds weights, optimiser, step count, random generators" in life["resumed"], life
        assert "optimiser and step count begin anew" in life["warmed"], life
        assert life["reasons"].count("final") == 1, life
        assert "step" in life["reasons"], life
    assert "replay buffer; not environment state" in found["dqn"]["resumed"]
    assert "not environment state, replay buffer" in found["sac"]["resumed"]
    return found
