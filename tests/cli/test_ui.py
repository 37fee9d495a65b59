"""`mosaic ui`, up to where the window opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.cli.ui import can_open, has_display

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


@pytest.mark.parametrize(
    ("env", "platform", "there"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "darwin", True),
    ],
)
def test_where_a_window_can_be_shown(env: dict[str, str], platform: str, there: bool) -> None:
    assert has_display(env, platform) is there


@pytest.mark.parametrize("there", [True, False])
def test_the_desktop_can_be_opened_where_there_is_a_display_and_its_packages(
    monkeypatch: pytest.MonkeyPatch, *, there: bool
) -> None:
    monkeypatch.setattr("mosaic.cli.ui.importlib.util.find_spec", lambda _: object() if there else None)
    monkeypatch.setattr("mosaic.cli.ui.sys.platform", "linux")
    assert can_open({"DISPLAY": ":0"}) is there
    assert can_open({}) is False


def test_a_run_that_does_not_exist_is_told_before_a_window_is_tried(
    root: DataRoot, mosaic: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    said = mosaic("ui", "nothing-like-it")
    assert said.code != 0
    assert "no runs yet" in said.err
    assert "display" not in said.err
    said = mosaic("ui")
    assert said.code == 2
    assert "there is no display here" in said.err
    del root
