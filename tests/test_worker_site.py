from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunSpec
from mosaic.settings import Settings
from mosaic.worker_site import install, worker_environment
from tests.daemon.keeping import RUN_ID

if TYPE_CHECKING:
    from pathlib import Path


def package(tmp_path: Path) -> Path:
    source = tmp_path / "mosaic_worker"
    (source / "site").mkdir(parents=True)
    (source / "hooks" / "__pycache__").mkdir(parents=True)
    (source / "__init__.py").write_text("x = 1\n")
    (source / "hooks" / "__init__.py").write_text("")
    (source / "hooks" / "__pycache__" / "a.pyc").write_text("")
    (source / "site" / "sitecustomize.py").write_text("import mosaic_worker\n")
    return source


def test_the_copy_holds_the_package_and_the_hook_and_is_private(home: Path, tmp_path: Path) -> None:
    place = install(DataRoot(home), package=package(tmp_path))
    assert place.parent == DataRoot(home).worker_site
    assert sorted(str(path.relative_to(place)) for path in place.rglob("*.py")) == [
        "mosaic_worker/__init__.py",
        "mosaic_worker/hooks/__init__.py",
        "mosaic_worker/site/sitecustomize.py",
        "sitecustomize.py",
    ]
    assert not list(place.rglob("*.pyc"))
    assert not [path for path in place.rglob("*") if stat.S_IMODE(path.stat().st_mode) & 0o077]


def test_the_same_content_is_copied_once_and_new_content_beside_it(home: Path, tmp_path: Path) -> None:
    source = package(tmp_path)
    first = install(DataRoot(home), package=source)
    assert install(DataRoot(home), package=source) == first
    (source / "__init__.py").write_text("x = 2\n")
    second = install(DataRoot(home), package=source)
    assert second != first
    assert (first / "mosaic_worker" / "__init__.py").read_text() == "x = 1\n"
    assert sorted(DataRoot(home).worker_site.iterdir()) == sorted([first, second])


def test_the_real_package_can_be_installed(home: Path) -> None:
    assert (install(DataRoot(home)) / "mosaic_worker" / "__init__.py").is_file()


def test_the_users_variables_are_kept(home: Path, tmp_path: Path) -> None:
    folder = DataRoot(home).run(RUN_ID)
    spec = RunSpec(run_id=RUN_ID, command=["true"], cwd="/", record={"obs_inline_bytes": 7})
    given = {"A": "1", "PYTHONPATH": "/mine:/too", "PYTHONUNBUFFERED": "", "MOSAIC_RUN_ID": "spoofed"}
    made = worker_environment(given, site=tmp_path, folder=folder, spec=spec, settings=Settings())
    assert made["A"] == "1"
    assert made["PYTHONPATH"] == f"{tmp_path}:/mine:/too"
    assert made["PYTHONUNBUFFERED"] == ""
    assert made["MOSAIC_RUN_ID"] == RUN_ID
    assert made["MOSAIC_RUN_DIR"] == str(folder.path)
    recorded = {"obs_inline_bytes": 7, "segment_mib": Settings().segment_mib, "render_inject": True}
    assert json.loads(made["MOSAIC_RECORD"]) == recorded
    bare = worker_environment({}, site=tmp_path, folder=folder, spec=spec, settings=Settings())
    assert (bare["PYTHONPATH"], bare["PYTHONUNBUFFERED"]) == (str(tmp_path), "1")
