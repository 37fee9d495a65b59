"""What the window remembers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.paths import DataRoot
from mosaic.ui.shell import layout
from mosaic.ui.shell.layout import Layout

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_saved_is_loaded_and_nobody_else_can_read_it(home: Path) -> None:
    root = DataRoot(home)
    kept = Layout(
        geometry=Layout.text(b"\x00\xff"), theme="dark", tabs={"right": 2}, chosen=["a"], sort="name"
    )
    layout.save(root, kept)
    assert layout.load(root) == kept
    assert Layout.bytes(kept.geometry) == b"\x00\xff"
    assert layout.path_of(root).stat().st_mode & 0o077 == 0


def test_nothing_saved_means_the_defaults(home: Path) -> None:
    assert layout.load(DataRoot(home)) == Layout()
    assert layout.load(DataRoot(home / "nowhere")) == Layout()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"theme": "pink"}', b'{"tabs": {"right": "two"}}', b"\xff\xfe"]
)
def test_a_damaged_file_means_the_defaults(home: Path, content: bytes) -> None:
    layout.path_of(DataRoot(home)).write_bytes(content)
    assert layout.load(DataRoot(home)) == Layout()


def test_text_that_is_not_base64_stands_for_no_bytes() -> None:
    assert Layout.bytes("not base64!") == b""
    assert Layout.bytes("") == b""
