"""`mosaic pack` and back again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.paths import DataRoot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Said

pytestmark = pytest.mark.usefixtures("recorded")


def test_a_packed_run_is_the_same_run_elsewhere(
    mosaic: Callable[..., Said], recorded: DataRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run_id,) = [path.name for path in recorded.runs.iterdir()]
    packed = tmp_path / "run.mosaic.tar.zst"
    assert mosaic("pack", "last", "-o", str(packed)).code == 0
    assert mosaic("pack", "last", "-o", str(packed)).code == 2
    here = {name: mosaic(name, "last", "--json").out for name in ("episodes", "metrics")}
    monkeypatch.setenv("MOSAIC_HOME", str(tmp_path / "elsewhere"))
    said = mosaic("unpack", str(packed))
    assert said.code == 0, said.err
    assert said.out.strip() == run_id
    assert {name: mosaic(name, "last", "--json").out for name in ("episodes", "metrics")} == here
    assert mosaic("verify", "last").code == 0
    again = mosaic("unpack", str(packed))
    assert again.code == 0
    assert "the same" in again.err
    (DataRoot(tmp_path / "elsewhere").run(run_id).stdout).write_text("changed")
    said = mosaic("unpack", str(packed))
    assert said.code == 2
    assert "differs" in said.err
