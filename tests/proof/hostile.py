"""Files that run code when they are loaded the wrong way: each leaves a canary."""

from __future__ import annotations

import base64
import io
import json
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np

__all__ = ["Payload", "corpus"]


class Payload:
    """Unpickling it makes a folder."""

    def __init__(self, canary: Path) -> None:
        self._canary = canary

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self._canary),)


def corpus(canary: Path) -> dict[str, bytes]:
    """Name and content of each file."""
    raw = pickle.dumps(Payload(canary))
    about = json.dumps(
        {"step": 1, "target": 1, "env": "FrozenLake-v1", "algorithm": "q_learning", "spaces": {}, "rng": None}
    )
    array = np.array([Payload(canary)], dtype=object)
    return {
        "raw.pkl": raw,
        "old.pkl": pickle.dumps(Payload(canary), protocol=0),
        "weights.pt": _zip({"archive/data.pkl": raw, "archive/version": b"3"}),
        "model.zip": _zip(
            {
                "data": json.dumps(
                    {"policy_class": {":type:": "x", ":serialized:": base64.b64encode(raw).decode()}}
                ).encode(),
                "policy.pth": raw,
                "mosaic.json": b'{"runner": "sb3", "algorithm": "ppo", "env": "CartPole-v1"}',
                "mosaic_vecnormalize.pkl": raw,
            }
        ),
        "table.npz": _npz(table=array, about=np.frombuffer(about.encode(), dtype=np.uint8)),
        "table.npy": _npy(array),
        "pickle-named.npz": raw,
        "pickle-named.safetensors": raw,
        "json-and-zip.json": b'{"harmless": true}\n' + _zip({"data.pkl": raw, "table.npy": _npy(array)}),
        "jit.pth": b"import os\n" + raw,
        "empty.zip": b"",
        "cut.zip": _zip({"data.pkl": raw})[:-10],
    }


def _zip(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def _npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, allow_pickle=True, **arrays)
    return file.getvalue()


def _npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()
