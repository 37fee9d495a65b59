"""Checkpoints of Stable-Baselines3 and its kin: its own `.zip`, with what it lacks added to the same file.

One file holds all of it, so it is whole or not there, and one hash vouches for it. The framework itself can
load the file too: it passes over the members it does not know. Loading one runs code that it may hold.
"""

from __future__ import annotations

import base64
import json
import pickle
import random
import zipfile
from typing import IO, Any, Dict, List, NamedTuple, Optional

from mosaic_worker.drivers.kit.command import Refused

__all__ = ["About", "algorithm_of", "holdings", "read_about", "read_member", "restore_random", "write"]

_ABOUT = "mosaic.json"
NORMALISER = "mosaic_vecnormalize.pkl"
REPLAY_BUFFER = "mosaic_replay_buffer.pkl"

_MODULES = {".recurrent.": "recurrent_ppo", ".maskable.": "maskable_ppo"}
"""Parts of the policy's module that only one algorithm has: its settings are those of another."""
_SETTINGS = {
    "n_quantiles": "qrdqn",
    "top_quantiles_to_drop_per_net": "tqc",
    "target_entropy": "sac",
    "policy_delay": "td3",  # of DDPG too, which plays alike
    "exploration_fraction": "dqn",
    "cg_max_steps": "trpo",
    "n_epochs": "ppo",
    "rollout_buffer_class": "a2c",
}
"""Settings by which an algorithm is known, the most telling first."""


class About(NamedTuple):
    """What a checkpoint says of itself. Empty for a file that was saved without MOSAIC."""

    runner: str = ""
    algorithm: str = ""
    env: str = ""
    spaces: Optional[Dict[str, str]] = None
    target: int = 0
    holds: Optional[List[str]] = None
    lacks: Optional[List[str]] = None
    random: Optional[Dict[str, Any]] = None


def holdings(model: Any, *, normaliser: bool, buffer: bool) -> Any:
    """What a checkpoint holds, and what it lacks for a training to go on as if never stopped."""
    holds = ["weights", "optimiser", "step count", "random generators"]
    lacks = ["environment state"]
    if normaliser:
        holds.append("normaliser")
    if hasattr(model, "replay_buffer"):
        (holds if buffer else lacks).append("replay buffer")
    return holds, lacks


def write(file: IO[bytes], model: Any, about: About, *, normaliser: Any = None, buffer: bool = False) -> None:
    """Save a model and what belongs to it into an open file."""
    model.save(file)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(_ABOUT, json.dumps(about._replace(random=_random())._asdict()))
        if normaliser is not None:
            archive.writestr(NORMALISER, pickle.dumps(normaliser))
        if buffer and getattr(model, "replay_buffer", None) is not None:
            with archive.open(REPLAY_BUFFER, "w", force_zip64=True) as member:
                pickle.dump(model.replay_buffer, member, protocol=4)


def read_about(file: IO[bytes]) -> About:
    """What a checkpoint says of itself. Runs nothing of it.

    Raises:
        Refused: it is not a zip file.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            found = json.loads(archive.read(_ABOUT)) if _ABOUT in archive.namelist() else {}
    except (zipfile.BadZipFile, ValueError) as error:
        raise Refused(f"it is not a checkpoint of Stable-Baselines3: {error}") from None
    finally:
        file.seek(0)
    return About(**{name: found[name] for name in About._fields if name in found})


def algorithm_of(file: IO[bytes]) -> str:
    """Which algorithm saved a file that does not say so, by its settings. Runs nothing of it.

    Empty when they are of none that is known.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            found = json.loads(archive.read("data"))
        module = str(found["policy_class"]["__module__"])
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError):
        return ""
    finally:
        file.seek(0)
    named = [algorithm for part, algorithm in _MODULES.items() if part in module]
    return next(iter([*named, *(name for setting, name in _SETTINGS.items() if setting in found)]), "")


def read_member(file: IO[bytes], name: str) -> Any:
    """An object kept beside the model, or None. Trusted bytes only: unpickling runs code."""
    try:
        with zipfile.ZipFile(file) as archive:
            return pickle.loads(archive.read(name)) if name in archive.namelist() else None  # noqa: S301
    finally:
        file.seek(0)


def _random() -> Dict[str, Any]:
    import numpy as np
    import torch

    kind, keys, position, has_gauss, gauss = np.random.get_state()
    return {
        "torch": base64.b64encode(bytes(torch.get_rng_state().tolist())).decode(),
        "numpy": [kind, [int(key) for key in keys], int(position), int(has_gauss), float(gauss)],
        "python": random.getstate(),
    }


def restore_random(state: Dict[str, Any]) -> None:
    """Let the random generators go on where they were."""
    import numpy as np
    import torch

    torch.set_rng_state(torch.tensor(list(base64.b64decode(state["torch"])), dtype=torch.uint8))
    kind, keys, *rest = state["numpy"]
    np.random.set_state((kind, np.array(keys, dtype=np.uint32), *rest))
    version, internal, gauss = state["python"]
    random.setstate((version, tuple(internal), gauss))
