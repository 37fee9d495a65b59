"""`mosaic rebuild`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mosaic.sdk.connection import Connection

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


def test_rebuild_gives_the_same_counts(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    line = json.dumps({"type": "metric", "name": "x", "value": 1.0})
    Connection(root).run(["sh", "-c", f"echo '{line}'"]).wait()
    said = mosaic("rebuild", "last", "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["metrics"] == 1
    assert "1 metrics" in mosaic("rebuild", "last").out
