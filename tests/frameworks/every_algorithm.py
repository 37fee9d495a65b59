"""Run in a framework's environment: drives every algorithm of a family through its whole life.

`python every_algorithm.py sb3|sbx FOLDER`. Prints one JSON line per algorithm with what was seen; a traceback
and exit code 1 otherwise. One process for all of them, because importing the framework takes longest.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mosaic_worker.drivers.kit import command
from mosaic_worker.drivers.kit.serving import Surroundings
from mosaic_worker.drivers.sb3_family import evaluation, training
from mosaic_worker.operators import Seat
from mosaic_worker.session.fitting import described

ON_POLICY = ["n_steps=64", "batch_size=32"]
OFF_POLICY = ["learning_starts=20", "buffer_size=5000", "batch_size=16"]
QUICK = {
    "ppo": [*ON_POLICY, "n_epochs=2", "--envs", "2", "net_arch=16,16"],
    "a2c": ["n_steps=16", "normalize=true"],
    "trpo": ON_POLICY,
    "recurrent_ppo": ["n_steps=32", "batch_size=32", "n_epochs=1"],
    "maskable_ppo": [*ON_POLICY, "n_epochs=2"],
    "dqn": [*OFF_POLICY, "save_replay_buffer=true"],
    "sac": [*OFF_POLICY, "ent_coef=0.1"],
}
ENVS = {"maskable_ppo": "Taxi-v4"}
DISCRETE = {"ppo", "a2c", "trpo", "recurrent_ppo", "dqn", "qrdqn"}


def drive(family: Any, folder: Path, *words: str) -> str:
    folder.mkdir(parents=True)
    os.environ["MOSAIC_RUN_DIR"] = str(folder)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = command.main(lambda job: training.work(job, family), list(words))
    assert code == 0, (words, out.getvalue())
    return out.getvalue()


def only(folder: Path, reason: str) -> Path:
    (found,) = (folder / "checkpoints").glob(f"{reason}-*.zip")
    return found


def life(family: Any, name: str, folder: Path) -> dict[str, Any]:
    env = ENVS.get(name, "CartPole-v1" if name in DISCRETE else "Pendulum-v1")
    common = ("--algo", name, "--env", env, "--seed", "1")
    extra = QUICK.get(name, OFF_POLICY)
    settings = [word for word in extra if "=" in word and not word.startswith(("net_arch", "save"))]
    drive(family, folder / "train", "train", *common, "--steps", "128", *extra)
    final = only(folder / "train", "final")
    digest = hashlib.sha256(final.read_bytes()).hexdigest()
    given = ("--sha256", digest)
    played = drive(family, folder / "eval", "eval", *common[:4], "--seed", "3", "--episodes", "1",
                   "--checkpoint", str(final), *given)  # fmt: skip
    resumed = drive(family, folder / "more", "train", *common, "--steps", "64", "--resume", "PARENT",
                    "--checkpoint", str(final), *given)  # fmt: skip
    warm = drive(family, folder / "warm", "train", *common, "--steps", "64", "--init", str(final), *given,
                 *[word for word in extra if word.startswith("net_arch")], *settings)  # fmt: skip
    module, kind = family.classes[name]
    load = getattr(importlib.import_module(module), kind).load
    first, more = load(final, device="cpu"), load(only(folder / "more", "final"), device="cpu")
    return {
        "algorithm": name,
        "steps": int(first.num_timesteps),
        "more": int(more.num_timesteps),
        "warm": int(load(only(folder / "warm", "final"), device="cpu").num_timesteps),
        "played": played.splitlines()[-1],
        "resumed": resumed.splitlines()[0],
        "warmed": warm.splitlines()[0],
        "said": seated(family, name, env, final, digest),
        "reasons": sorted(path.name.partition("-")[0] for path in final.parent.iterdir()),
    }


def seated(family: Any, name: str, env_id: str, path: Path, digest: str) -> list[str]:
    """The checkpoint decides in a seat; what it says of a decision."""
    import gymnasium as gym

    env = gym.make(env_id)
    observation, info = env.reset(seed=1)
    told = {"observation": described(env.observation_space), "action": described(env.action_space)}
    job = command.parse(["play", "--algo", name, "--checkpoint", str(path), "--sha256", digest])
    said: set[str] = set()
    for parameters in ({}, {"sample": True}):
        operator = evaluation.seated(job._replace(parameters=parameters), Surroundings(env_id, told), family)
        operator.begin(Seat("", env.action_space, 5))
        view: Any = SimpleNamespace(observation=observation, mask=info.get("action_mask"), step=0)
        choice = operator.act(view)
        assert env.action_space.contains(choice.action), choice
        said |= set(choice.data or {})
    return sorted(said)


def main() -> None:
    runner, folder = sys.argv[1], Path(sys.argv[2])
    family = importlib.import_module(f"mosaic_worker.drivers.{runner}").FAMILY
    for name in sys.argv[3:] or family.classes:
        print(json.dumps(life(family, name, folder / name)), flush=True)


if __name__ == "__main__":
    main()
