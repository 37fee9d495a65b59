"""`mosaic pause` and `mosaic resume`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.sdk.connection import Connection
from tests.cli.asking import in_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


def test_pause_and_resume(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    run = Connection(root).run(["sleep", "60"])
    in_state(run, "running")
    assert mosaic("pause", "last").code == 0
    in_state(run, "paused")
    assert mosaic("resume", "last").code == 0
    in_state(run, "running")
    run.stop()
    said = mosaic("pause", "last")
    assert said.code == 2
    assert "has ended" in said.err
