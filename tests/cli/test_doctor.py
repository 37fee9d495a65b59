"""What `mosaic doctor` prints, and with which exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.asking import strict_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


def test_below_what_is_wrong_stands_how_to_put_it_right(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    leaky = root.path / "leaky"
    leaky.touch(mode=0o644)
    leaky.chmod(0o644)
    said = mosaic("doctor")
    assert said.code == 1
    lines = said.out.splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.split()[:3] == ["fail", "data", "root"]]
    assert str(leaky) in lines[at]
    assert lines[at + 1].strip() == f"fix: chmod -R go-rwx {root.path}"


def test_programs_get_the_same_lines_with_whether_all_is_well(
    root: DataRoot, mosaic: Callable[..., Said]
) -> None:
    said = mosaic("doctor", "--json")
    told = strict_json(said.out)
    assert told["ok"] is (said.code == 0)
    names = [check["name"] for check in told["checks"]]
    assert {"settings", "runner script", "runner tabular"} <= set(names)
    shown = mosaic("doctor").out
    assert all(name in shown for name in names)
    del root
