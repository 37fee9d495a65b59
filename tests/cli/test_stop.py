"""`mosaic stop`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.sdk.connection import Connection
from tests.cli.asking import in_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


def test_stop_waits_until_the_run_is_gone(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    run = Connection(root).run(["sleep", "60"], name="sleeper")
    in_state(run, "running")
    said = mosaic("stop", "sleeper")
    assert said.code == 0
    assert said.out.startswith(f"run {run.id} stopped")
    assert run.state == "stopped"
    again = mosaic("stop", "sleeper")
    assert again.code == 0
    assert "ended already" in again.err
