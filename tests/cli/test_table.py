"""Tables for terminals and pipes."""

from __future__ import annotations

import pytest

from mosaic.cli.table import Column, render
from mosaic.text import width

COLUMNS = (
    Column("RUN"),
    Column("NAME", flexible=True, least=6),
    Column("STEPS", right=True),
    Column("SPEED", right=True, optional=True),
)
ROWS = [["01A", "a-rather-long-name-of-a-run", "12", "3.5"], ["01B", "x", "1,234", "-"]]


def test_in_a_pipe_nothing_is_cut() -> None:
    lines = render(COLUMNS, ROWS)
    assert "a-rather-long-name-of-a-run" in lines[1]


def test_numbers_stand_right_aligned_under_their_title() -> None:
    head, first, second = render(COLUMNS, ROWS)
    end = head.index("STEPS") + len("STEPS")
    assert first[:end].endswith("   12")
    assert second[:end].endswith("1,234")


@pytest.mark.parametrize("cells", [20, 30, 40, 80])
def test_on_a_terminal_the_flexible_column_gives_way(cells: int) -> None:
    assert all(width(line) <= cells for line in render(COLUMNS, ROWS, cells=cells))


def test_optional_columns_go_when_there_is_still_no_room() -> None:
    lines = render(COLUMNS, ROWS, cells=20)
    assert "SPEED" not in lines[0]
    assert "STEPS" in lines[0]


def test_control_characters_in_a_cell_are_shown_not_obeyed() -> None:
    lines = render((Column("A"),), [["\x1b[2Jgone\n"]])
    assert lines[1] == "\\x1b[2Jgone\\n"


def test_style_colours_the_padded_text() -> None:
    lines = render(
        COLUMNS, ROWS, style=lambda title, text, padded: f"<{padded}>" if title == "NAME" else padded
    )
    assert "<x                          >" in lines[2]
