"""`mosaic rm`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.app import run_index
from mosaic.sdk.connection import Connection
from tests.cli.asking import in_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


def test_rm_refuses_a_live_run_and_asks_before_it_deletes(
    root: DataRoot, mosaic: Callable[..., Said]
) -> None:
    run = Connection(root).run(["sleep", "60"])
    in_state(run, "running")
    said = mosaic("rm", "last", "--yes")
    assert said.code == 2
    assert f"mosaic stop {run.id}" in said.err
    run.stop()
    said = mosaic("rm", "last")
    assert said.code == 2
    assert "--yes" in said.err
    assert run.folder.exists()
    assert mosaic("rm", "last", run.id, "--yes").code == 0
    assert not run.folder.exists()
    assert run_index.rows(root) == []
