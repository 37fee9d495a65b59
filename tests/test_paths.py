from __future__ import annotations

from pathlib import Path

import pytest

from mosaic.paths import DataRoot, data_root


def test_the_data_root_is_mosaic_home_when_set(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert data_root() == DataRoot(home)
    monkeypatch.delenv("MOSAIC_HOME")
    assert data_root().path.name == "mosaic"


def test_a_long_data_root_gets_a_short_socket_path_of_its_own() -> None:
    deep = DataRoot(Path("/" + "d" * 120))
    other = DataRoot(Path("/" + "e" * 120))
    assert len(str(deep.socket)) < 100
    assert deep.socket != other.socket
    assert DataRoot(Path("/short")).socket == Path("/short/daemon/daemon.sock")
