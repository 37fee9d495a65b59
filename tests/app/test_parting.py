"""Where two recorded episodes part, read from a store."""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING, Any

from mosaic.analysis.parting import RESET, Parting
from mosaic.app.parting import part_at
from mosaic.store.reader import StoreReader
from tests.store.journals import Segments, ingest_all, make_run

if TYPE_CHECKING:
    from pathlib import Path

DATA = b"\0\0\x80?"
WHOLE = {"nd": "<f4", "shape": [1], "b64": base64.b64encode(DATA).decode()}
CHECKSUM = {"nd": "<f4", "shape": [1], "crc32": zlib.crc32(DATA)}


def test_episodes_of_one_store_part_where_they_differ(tmp_path: Path) -> None:
    def steps(name: str, obs: Any, actions: list[Any], **last: Any) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = [
            {
                "type": "step",
                "episode_id": name,
                "step": k,
                "action": action,
                "reward": 1.0,
                "obs": obs,
                "t": 1.0,
            }
            for k, action in enumerate(actions)
        ]
        made[-1].update(last)
        return [{"type": "reset", "episode_id": name, "obs": obs, "t": 1.0}, *made]

    folder = make_run(tmp_path)
    worker = Segments(folder)
    worker.add(
        *steps("a", WHOLE, [0, 1, 1]),
        *steps("same", CHECKSUM, [0, 1, 1]),
        *steps("short", WHOLE, [0, 1]),
        *steps("ended", WHOLE, [0, 1, 1], terminated=True, reward="NaN"),
        *steps("elsewhere", 5, [0, 1, 1]),
    )
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        found = {name: part_at(reader, "a", reader, name) for name in ("same", "short", "ended", "elsewhere")}
        assert part_at(reader, 0, reader, 1) is None
    assert found == {
        "same": None,
        "short": Parting(step=2, what=("end",)),
        "ended": Parting(step=2, what=("reward", "ended")),
        "elsewhere": Parting(step=RESET, what=("observation",)),
    }
