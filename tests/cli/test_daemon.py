"""`mosaic daemon`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mosaic.rpc.launch import daemon_running

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


def test_the_daemon_starts_stops_and_tells_how_it_is(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    said = mosaic("daemon", "status", "--json")
    assert said.code == 1
    assert json.loads(said.out)["running"] is False
    assert mosaic("daemon", "start").code == 0
    assert "already" in mosaic("daemon", "start").out
    status = json.loads(mosaic("daemon", "status", "--json").out)
    assert status["running"] is True
    assert status["home"] == str(root.path)
    assert "running: pid" in mosaic("daemon", "status").out
    assert mosaic("daemon", "stop").code == 0
    assert not daemon_running(root)
    assert "no daemon" in mosaic("daemon", "stop").out
