"""The writing child's conversation: `open`, then for each episode its `column`s and `episode`, then `close`.

Each request has one answer, `done` or `error`. Episodes go to the file in batches of a bounded size, since to
open it for each takes longer than to write it. `close` reads every episode back through minari and compares
it with what was handed in.
"""

from __future__ import annotations

import json
import os
import time
import traceback
import zlib
from typing import IO, Any, Dict, List

from mosaic_worker.common import wire
from mosaic_worker.dataset.spaces import space_of

__all__ = ["Server"]

_INT64_MOST = (1 << 63) - 1
_TELL_SECS = 1.0
_BATCH_BYTES = 64 << 20
_BATCH_EPISODES = 500


class Server:
    """Writes one dataset, as it is told to."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._requests = requests
        self._answers = answers
        self._columns: Dict[str, Any] = {}
        self._batch: List[Any] = []
        self._batch_bytes = 0
        self._checks: List[int] = []
        self._origins: List[Dict[str, Any]] = []
        self._told = 0.0

    def run(self) -> None:
        """Answer until the other side closes its end."""
        while True:
            message = wire.read(self._requests)
            if message is None:
                return
            request, body = message
            try:
                done = getattr(self, "_on_" + str(request.get("type")))(request, body)
            except Exception as error:  # noqa: BLE001  (whatever minari raises is an answer)
                traceback.print_exc()
                said = f"{type(error).__name__}: {error}"[:2000]
                wire.write(self._answers, {"type": "error", "kind": "failed", "text": said})
            else:
                wire.write(self._answers, {"type": "done", **(done or {})})

    def _on_find(self, request: Dict[str, Any], body: bytes) -> Dict[str, Any]:
        """Whether minari can write here; when asked, also where it keeps datasets, a folder it then makes."""
        import h5py  # noqa: F401
        import minari
        import PIL  # noqa: F401  (minari's HDF5 needs Pillow, and does not say so)
        from minari.storage.datasets_root_dir import get_dataset_path

        root = str(get_dataset_path("")) if request.get("root") else None
        return {"minari": minari.__version__, "root": root}

    def _on_open(self, request: Dict[str, Any], body: bytes) -> Dict[str, Any]:
        os.environ["MINARI_DATASETS_PATH"] = request["folder"]
        import minari
        from minari.dataset.minari_dataset import parse_dataset_id
        from minari.dataset.minari_storage import MinariStorage
        from minari.namespace import create_namespace
        from minari.storage.datasets_root_dir import get_dataset_path

        told = json.loads(body)
        self._id = str(request["id"])
        namespace = parse_dataset_id(self._id)[0]
        if namespace is not None:
            create_namespace(namespace)
        spec, why = _spec_of(told.get("spec"))
        data = os.path.join(get_dataset_path(self._id), "data")
        os.makedirs(data)
        self._storage = MinariStorage.new(
            data,
            observation_space=space_of(told["observation"]),
            action_space=space_of(told["action"]),
            env_spec=spec,
            data_format="hdf5",
            jpeg_encoding=False,  # minari's default changes the pixels
        )
        self._storage.update_metadata(
            {"dataset_id": self._id, "minari_version": minari.__version__, **request["metadata"]}
        )
        return {"recoverable": spec is not None, "why": why}

    def _on_column(self, request: Dict[str, Any], body: bytes) -> None:
        """A part of a column; one that has the path of an earlier one comes after it."""
        import numpy as np

        held = self._columns
        keys: List[Any] = [request["name"], *request["path"]]
        *path, last = keys
        for key in path:
            held = held.setdefault(key, {})
        if request.get("text"):
            held[last] = json.loads(body)
            return
        self._batch_bytes += len(body)
        part = np.frombuffer(body, dtype=request["dtype"]).reshape(request["shape"])
        held[last] = np.concatenate([held[last], part]) if last in held else part

    def _on_episode(self, request: Dict[str, Any], body: bytes) -> None:
        from minari.data_collector.episode_buffer import EpisodeBuffer

        columns, self._columns = self._columns, {}
        number = len(self._checks)
        observations, actions = _joined(columns["observations"]), _joined(columns["actions"])
        seed = request.get("seed")
        buffer = EpisodeBuffer(
            id=number,
            seed=seed if seed is not None and 0 <= seed <= _INT64_MOST else None,
            options=request.get("options"),
            observations=observations,
            actions=actions,
            rewards=columns["rewards"],
            terminations=columns["terminations"],
            truncations=columns["truncations"],
            infos={
                "intervention": columns["intervention"],
                "proposed_action": _by_name(columns["proposed_action"]),
            },
        )
        self._batch.append(buffer)
        if self._batch_bytes > _BATCH_BYTES or len(self._batch) >= _BATCH_EPISODES:
            self._flush()
        self._checks.append(_checksum(observations, _checksum(actions, _checksum(columns["rewards"]))))
        self._origins.append(request["origin"])

    def _flush(self) -> None:
        batch, self._batch, self._batch_bytes = self._batch, [], 0
        self._storage.update_episodes(batch)

    def _on_close(self, request: Dict[str, Any], body: bytes) -> Dict[str, Any]:
        import minari

        self._flush()
        self._storage.update_episode_metadata(self._origins, range(len(self._origins)))
        dataset = minari.load_dataset(self._id)
        if dataset.total_episodes != len(self._checks):
            raise ValueError(f"{dataset.total_episodes} of {len(self._checks)} episodes can be read back")
        for number, episode in enumerate(dataset.storage.get_episodes(range(len(self._checks)))):
            self._say_busy(number, len(self._checks))
            found = _checksum(
                episode["observations"], _checksum(episode["actions"], _checksum(episode["rewards"]))
            )
            if found != self._checks[number]:
                raise ValueError(f"episode {number} is read back otherwise than it was written")
        return {"episodes": int(dataset.total_episodes), "steps": int(dataset.total_steps)}

    def _say_busy(self, done: int, total: int) -> None:
        """Say that there is work being done: who hears nothing for long takes this process for stuck."""
        now = time.monotonic()
        if now - self._told > _TELL_SECS:
            self._told = now
            wire.write(self._answers, {"type": "progress", "done": done, "of": total})


def _spec_of(text: Any) -> Any:
    """The spec minari keeps, so that it can make the environment again; None and why, where it cannot."""
    if not text:
        return None, "its environment was not made by gymnasium.make, so there is no spec to make it from"
    try:
        import dataclasses

        from gymnasium.envs.registration import EnvSpec

        known = {field.name for field in dataclasses.fields(EnvSpec)}  # an older gymnasium's has more
        told = {name: value for name, value in json.loads(text).items() if name in known}
        return EnvSpec.from_json(json.dumps(told)), ""
    except Exception as error:  # noqa: BLE001  (another version's spec: the data are good without)
        return None, f"minari's gymnasium does not read its spec ({type(error).__name__})"


def _joined(tree: Any) -> Any:
    """Columns as minari wants them: a dictionary with positions for keys is a tuple."""
    if not isinstance(tree, dict):
        return tree
    if tree and all(isinstance(key, int) for key in tree):
        return tuple(_joined(tree[index]) for index in range(len(tree)))
    return {key: _joined(part) for key, part in tree.items()}


def _by_name(tree: Any) -> Any:
    """Columns below `infos`, which know dictionaries only: positions are named as minari names them."""
    if not isinstance(tree, dict):
        return tree
    return {f"_index_{key}" if isinstance(key, int) else key: _by_name(part) for key, part in tree.items()}


def _checksum(tree: Any, before: int = 0) -> int:
    """One number for a column or a tree of them: bytes, types and shapes."""
    import numpy as np

    if isinstance(tree, dict):
        for key in sorted(tree):
            before = _checksum(tree[key], zlib.crc32(key.encode(), before))
        return before
    if isinstance(tree, tuple):
        for part in tree:
            before = _checksum(part, before)
        return before
    if isinstance(tree, list):
        return zlib.crc32(json.dumps(tree).encode(), before)
    values = np.ascontiguousarray(tree)
    return zlib.crc32(values.tobytes(), zlib.crc32(f"{values.dtype.str}{values.shape}".encode(), before))
