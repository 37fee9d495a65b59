"""Windows without a display, and a context on a private data root."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mosaic.paths import DataRoot
from mosaic.ui.shell.context import Context, make_context

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

SCREEN = Path(__file__).with_name("screen.json")


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    """No display is needed, and none is used when there is one: a screen of 2560 x 1440 in memory."""
    return ["mosaic", "-platform", f"offscreen:configfile={SCREEN}"]


@pytest.fixture(autouse=True)
def garbage_collected_here() -> Iterator[None]:
    """Widgets must die on the thread they live on: no other thread of the test may find them as garbage."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()


@pytest.fixture
def context(qtbot: QtBot, home: Path) -> Iterator[Context]:
    """What a part of the window is given, on an empty data root of this test's own. No daemon runs."""
    made = make_context(DataRoot(home))
    yield made
    made.close()
