"""Progress without a terminal: one line at most. With one it is looked at by people."""

from __future__ import annotations

import pytest

from mosaic.cli.progress import Passing, bar


def test_without_a_terminal_only_the_first_text_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with Passing() as passing:
        passing("3 to go")
        passing("2 to go")
    assert capsys.readouterr().err == "mosaic: 3 to go\n"


def test_without_a_terminal_a_bar_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("packing") as told:
        told(1, 2)
    assert capsys.readouterr().err == ""
