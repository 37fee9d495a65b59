"""Paths offered while one is typed."""

from __future__ import annotations

from pathlib import Path

from mosaic.ui.launch.offers import paths_like


def test_what_goes_on_from_the_typed_path_is_offered(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "program.py").write_text("")
    (tmp_path / ".private").mkdir()
    (tmp_path / "other").mkdir()
    assert paths_like(f"{tmp_path}/pro", folders_only=True) == [f"{tmp_path}/project/"]
    assert paths_like(f"{tmp_path}/pro", folders_only=False) == [
        f"{tmp_path}/program.py",
        f"{tmp_path}/project/",
    ]
    assert paths_like(f"{tmp_path}/", folders_only=True) == [f"{tmp_path}/other/", f"{tmp_path}/project/"]
    assert paths_like(f"{tmp_path}/.p", folders_only=True) == [f"{tmp_path}/.private/"]
    assert len(paths_like(f"{tmp_path}/", folders_only=False, most=1)) == 1


def test_where_nothing_can_be_read_nothing_is_offered() -> None:
    assert paths_like("/no/such/folder/x", folders_only=False) == []
    assert paths_like("relative", folders_only=False) == []
