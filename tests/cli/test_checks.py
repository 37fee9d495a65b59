"""`mosaic doctor`, on machines that are well and machines that are not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mosaic.cli import checks

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


def _check(mosaic: Callable[..., Said], name: str) -> tuple[int, dict[str, str]]:
    said = mosaic("doctor", "--json")
    document = json.loads(said.out)
    assert document["ok"] == (said.code == 0)
    (found,) = [check for check in document["checks"] if check["name"] == name]
    return said.code, found


def test_a_machine_that_is_well(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    assert mosaic("daemon", "start").code == 0
    said = mosaic("doctor")
    assert said.code == 0, said.out
    assert "SQLite 3." in said.out
    assert f"{root.path} and the" in said.out


def test_a_file_that_others_may_read_fails_with_the_command_that_closes_it(
    root: DataRoot, mosaic: Callable[..., Said]
) -> None:
    leaky = root.path / "leaky"
    leaky.touch(mode=0o644)
    leaky.chmod(0o644)
    code, check = _check(mosaic, "data root")
    assert code == 1
    assert check["status"] == "fail"
    assert str(leaky) in check["text"]
    assert check["fix"] == f"chmod -R go-rwx {root.path}"


def test_a_broken_settings_file_fails(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    root.settings.write_text("max_runing = 3\n")
    root.settings.chmod(0o600)
    code, check = _check(mosaic, "settings")
    assert code == 1
    assert "max_runing" in check["text"]
    assert check["fix"]


def test_a_disk_without_room_fails(
    root: DataRoot, mosaic: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSAIC_DISK_RESERVE_MIB", str(1 << 40))
    code, check = _check(mosaic, "disk")
    assert (code, check["status"]) == (1, "fail")
    assert "disk_reserve_mib" in check["fix"]
    del root


def test_an_old_sqlite_fails_with_the_command_that_renews_it(
    root: DataRoot, mosaic: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mosaic.store.build.sqlite_version", lambda: "3.40.1")
    code, check = _check(mosaic, "sqlite")
    assert (code, check["status"]) == (1, "fail")
    assert "apsw>=3.51.3" in check["fix"]
    del root


def test_every_check_has_a_name_of_its_own(root: DataRoot) -> None:
    names = [check.name for check in checks.run_checks(root)]
    assert len(set(names)) == len(names)
