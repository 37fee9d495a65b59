"""Recorded runs as Minari datasets: read back by minari itself, compared with the store, simulated again."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mosaic.errors import ReplayError, UsageError
from mosaic.exporting.minari import Chosen, export_minari
from mosaic.protocol.events import Decision
from mosaic.protocol.sessions import Seat
from mosaic.store.eventlog import typed
from mosaic.store.reader import StoreReader
from tests.envs import python_of
from tests.replay.branched import branched
from tests.replay.recorded import record

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import RunFolder

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(900)]

TAKEN_OVER = """
import gymnasium as gym
import mosaic_worker

env = gym.make({env!r})
env.action_space.seed(3)
for episode in range(3):
    env.reset(seed=100 + episode)
    for step in range({steps}):
        action = int(env.action_space.sample())
        if episode == 1 and 3 <= step < 6:
            mosaic_worker.decision(proposed=1 - action, executed=action, verdict="replace", by="person")
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            break
"""

MIND = """
import mosaic_worker
from mosaic_worker.operators import Choice

def act(view):
    proposed = int(view.observation[2] > 0)
    if 2 <= view.step < 5:
        action = view.step % 2
        mosaic_worker.decision(operator="mind", proposed=proposed, executed=action, by="person",
                               verdict="replace", reason="taken over")
        return action
    return Choice(proposed, {"value": 1.0})
"""
"""Goes on by itself; from its third decision to its fifth somebody else decides."""

PIXELS = """
import gymnasium as gym
import numpy as np

class Noise(gym.Env):
    observation_space = gym.spaces.Dict(
        {"image": gym.spaces.Box(0, 255, (40, 40, 3), np.uint8), "words": gym.spaces.Text(8)}
    )
    action_space = gym.spaces.Tuple([gym.spaces.Discrete(2), gym.spaces.Box(-1, 1, (2,), np.float32)])

    def _seen(self):
        return {"image": self.np_random.integers(0, 256, (40, 40, 3), np.uint8), "words": "go"}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._seen(), {}

    def step(self, action):
        return self._seen(), float(action[1][0]), False, False, {}

if __name__ == "__main__":
    env = Noise()
    env.action_space.seed(1)
    env.reset(seed=5)
    for _ in range(6):
        env.step(env.action_space.sample())
"""

READ = """
import json, sys, zlib
import minari, numpy as np

def plain(tree):
    if isinstance(tree, dict):
        return {key: plain(part) for key, part in tree.items()}
    if isinstance(tree, tuple):
        return [plain(part) for part in tree]
    return tree.tolist() if hasattr(tree, "tolist") else tree

dataset = minari.load_dataset(sys.argv[1])
told = {"datasets": list(minari.list_local_datasets()), "episodes": [], "resimulated": None}
for episode, about in zip(dataset, dataset.storage.get_episode_metadata(range(dataset.total_episodes))):
    told["episodes"].append({
        "seed": about.get("seed"), "mosaic_episode": int(about["mosaic_episode"]),
        **{name: plain(getattr(episode, name)) for name in
           ("observations", "actions", "rewards", "terminations", "truncations", "infos")},
    })
if dataset.env_spec is not None:
    env, same = dataset.recover_environment(), True
    for episode, about in zip(dataset, told["episodes"]):
        seen = [env.reset(seed=about["seed"])[0]] + [env.step(action)[0] for action in episode.actions]
        same = same and np.array_equal(np.stack(seen), episode.observations)
    told["resimulated"] = bool(same)
json.dump(told, sys.stdout)
"""


def _read(into: Path, dataset_id: str) -> dict[str, Any]:
    done = subprocess.run(
        [python_of("minari"), "-c", READ, dataset_id],
        env={"MINARI_DATASETS_PATH": str(into), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        check=True,
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _run(tmp_path: Path, source: str) -> RunFolder:
    home = tmp_path / "home"
    home.mkdir(mode=0o700, exist_ok=True)
    return record(home, source)


def _array(value: dict[str, Any]) -> list[Any]:
    import base64

    rows: list[Any] = (
        np.frombuffer(base64.b64decode(value["b64"]), value["nd"]).reshape(value["shape"]).tolist()
    )
    return rows


def test_a_take_over_is_read_back_as_recorded_and_simulated_again(tmp_path: Path) -> None:
    run, into = _run(tmp_path, TAKEN_OVER.format(env="CartPole-v1", steps=12)), tmp_path / "datasets"
    options: dict[str, Any] = {"python": str(python_of("minari")), "into": into}
    written = export_minari([run], Chosen(), name="taken over", **options)
    assert written.id == "mosaic/cartpole-v1/taken-over-v0"
    assert (written.episodes, written.interventions, written.left, written.notes) == (3, 3, (), ())

    told = _read(into, written.id)
    assert told["datasets"] == [written.id]
    assert told["resimulated"] is True
    with StoreReader(run) as reader:
        for episode, row in zip(told["episodes"], reader.episodes(), strict=True):
            steps = reader.steps(row.index)
            seen = [reader.reset(row.index)["obs"], *(step.obs for step in steps)]
            assert episode["observations"] == [_array(one) for one in seen]
            assert episode["actions"] == [step.action for step in steps]
            assert episode["rewards"] == [step.reward for step in steps]
            assert episode["terminations"] == [step.terminated for step in steps]
            assert episode["truncations"][-1] is not steps[-1].terminated  # the loop stopped: cut
            assert (episode["seed"], episode["mosaic_episode"]) == (100 + row.index, row.index)
    taken = told["episodes"][1]
    assert [k for k, mark in enumerate(taken["infos"]["intervention"]) if mark] == [4, 5, 6]
    proposed = taken["infos"]["proposed_action"][1:]
    assert [k for k, (a, b) in enumerate(zip(proposed, taken["actions"], strict=True)) if a != b] == [3, 4, 5]

    with pytest.raises(UsageError, match="there is a dataset mosaic/cartpole-v1/taken-over-v0"):
        export_minari([run], Chosen(), name="taken over", **options)
    chosen = Chosen(episodes=(2,))
    assert export_minari([run], chosen, name="taken over", force=True, **options).episodes == 1
    assert [one["mosaic_episode"] for one in _read(into, written.id)["episodes"]] == [2]

    other = _run(tmp_path, TAKEN_OVER.format(env="MountainCar-v0", steps=8))
    with pytest.raises(UsageError, match=r"has the environment MountainCar-v0, .* began with CartPole-v1"):
        export_minari([run, other], Chosen(), dataset_id="both-v0", **options)
    assert export_minari([run, run], Chosen(), dataset_id="twice-v0", **options).episodes == 6
    assert sorted(path.name for path in into.iterdir()) == ["mosaic", "twice-v0"]


def test_a_branch_that_somebody_took_over_is_marked_where_it_was(tmp_path: Path) -> None:
    """Also where the person did what was proposed; and nowhere else, though every decision is recorded."""
    parent, mind = _run(tmp_path, TAKEN_OVER.format(env="CartPole-v1", steps=12)), tmp_path / "mind.py"
    mind.write_text(MIND)
    with StoreReader(parent) as reader:
        before = [step.action for step in reader.steps(0)[:4]]
    seat = Seat(kind="python", name="mind", path=str(mind))
    branch = branched(parent, 0, 4, seat=seat, max_steps=8)
    with StoreReader(branch) as reader:
        said = [typed(event) for event in reader.each_event("decision", episode=0)]
        actions = [step.action for step in reader.steps(0)]
        assert (len(actions), reader.episode(0).outcome) == (12, "cut")
    decided = [one for one in said if isinstance(one, Decision)]
    assert [one.step for one in decided] == list(range(4, 12))
    taken = {one.step: one.proposed for one in decided if one.verdict == "replace" and one.step is not None}
    alike = [actions[step] == proposed for step, proposed in taken.items()]
    assert (any(alike), all(alike)) == (True, False)  # else the test shows less than it says
    written = export_minari(
        [branch], Chosen(), python=str(python_of("minari")), into=tmp_path / "sets", dataset_id="branch-v0"
    )
    assert (written.episodes, written.interventions) == (1, 3)

    told = _read(tmp_path / "sets", "branch-v0")
    assert told["resimulated"] is True
    (episode,) = told["episodes"]
    assert episode["actions"] == [*before, *actions[4:]]
    assert [k for k, mark in enumerate(episode["infos"]["intervention"][1:]) if mark] == [6, 7, 8]
    expected = [taken.get(step, action) for step, action in enumerate(actions)]
    assert episode["infos"]["proposed_action"][1:] == expected
    assert episode["truncations"] == [False] * 11 + [True]


def test_pixels_that_were_stored_as_checksums_come_back_exactly(tmp_path: Path) -> None:
    run, into = _run(tmp_path, PIXELS), tmp_path / "datasets"
    options: dict[str, Any] = {"python": str(python_of("minari")), "into": into, "dataset_id": "noise-v0"}
    with StoreReader(run) as reader:
        assert "crc32" in reader.reset(0)["obs"]["image"]  # else this test shows nothing
    written = export_minari([run], Chosen(allowed=("__main__",)), **options)
    assert "cannot recover its environment" in written.notes[0]

    (episode,) = _read(into, "noise-v0")["episodes"]
    dice = np.random.Generator(np.random.PCG64(np.random.SeedSequence(5)))
    expected = [dice.integers(0, 256, (40, 40, 3), np.uint8).tolist() for _ in range(7)]
    assert episode["observations"] == {"image": expected, "words": ["go"] * 7}
    assert (len(episode["actions"][0]), len(episode["actions"][1])) == (6, 6)
    assert episode["truncations"] == [False] * 5 + [True]


def test_episodes_that_do_not_replay_are_named_and_can_be_left_out(tmp_path: Path) -> None:
    source = PIXELS.replace("float(action[1][0])", "np.random.random() if self.lucky else 0.5").replace(
        "env.reset(seed=5)",
        "env.reset(seed=5); env.step(env.action_space.sample()); env.lucky = True; env.reset()",
    )
    source = source.replace("    def _seen", "    lucky = False\n\n    def _seen")
    run, into = _run(tmp_path, source), tmp_path / "datasets"
    options: dict[str, Any] = {"python": str(python_of("minari")), "into": into, "dataset_id": "noise-v0"}
    with pytest.raises(
        ReplayError, match=r"an episode cannot be written: episode 1 of run \w+: diverged at step 0: reward"
    ):
        export_minari([run], Chosen(allowed=("__main__",)), **options)
    assert list(into.iterdir()) == []
    written = export_minari([run], Chosen(allowed=("__main__",), skip=True), **options)
    assert (written.episodes, [one.episode for one in written.left]) == (1, [1])
