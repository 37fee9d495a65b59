"""`mosaic unpack` of what is no packed run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Said

pytestmark = pytest.mark.usefixtures("recorded")


def test_what_is_no_packed_run_is_refused(mosaic: Callable[..., Said], tmp_path: Path) -> None:
    bad = tmp_path / "bad.mosaic.tar.zst"
    bad.write_bytes(b"this is not zstd")
    assert mosaic("unpack", str(bad)).code == 1
    assert mosaic("unpack", str(tmp_path / "none")).code == 2
