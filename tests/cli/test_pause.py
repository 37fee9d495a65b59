"""`mosaic pause` and `mosaic unpause`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.sdk.connection import Connection
from tests.cli.asking import in_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


@pytest.mark.parametrize("unpause", ["unpause", "resume"])
def test_a_paused_run_goes_on_by_the_commands_name_and_by_its_former_one(
    root: DataRoot, mosaic: Callable[..., Said], unpause: str
) -> None:
    run = Connection(root).run(["sleep", "60"])
    in_state(run, "running")
    assert mosaic("pause", "last").code == 0
    in_state(run, "paused")
    assert mosaic(unpause, "last").code == 0
    in_state(run, "running")
    run.stop()


def test_an_ended_run_can_be_neither_paused_nor_unpaused(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    Connection(root).run(["true"]).wait()
    assert "has ended (finished): there is nothing to pause" in mosaic("pause", "last").err
    named, formerly = mosaic("unpause", "last"), mosaic("resume", "last")
    assert named.code == formerly.code == 2
    assert "there is nothing to unpause" in named.err
    assert formerly.err == named.err, "the former name says nothing different"
