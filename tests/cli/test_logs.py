"""`mosaic logs`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Said

pytestmark = pytest.mark.usefixtures("recorded")


def test_logs_show_escapes_and_never_obey_them(mosaic: Callable[..., Said]) -> None:
    said = mosaic("logs", "last")
    assert said.out.startswith("plain text \\x1b[31mred\\x07\n")
    assert "\x1b" not in said.out
    said = mosaic("logs", "last", "--stderr", "-f")
    assert said.out == "error \\x1b]0;title\\x07 text\n"


def test_logs_can_be_cut_to_the_lastjson_lines(mosaic: Callable[..., Said]) -> None:
    assert mosaic("logs", "last", "-n", "1").out.count("\n") == 1
    assert mosaic("logs", "last", "-n", "0").out == ""
