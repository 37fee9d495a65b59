"""Episodes as files: whole, or not at all."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from mosaic.errors import ReplayCancelledError, UsageError
from mosaic.paths import RunFolder
from mosaic.ui.replay import exports
from mosaic.ui.replay.exports import Export, path_for
from tests.replay.recorded import LOOP, record


@pytest.fixture(scope="module")
def cartpole(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    home = tmp_path_factory.mktemp("exported") / "home"
    home.mkdir(mode=0o700)
    make = '"CartPole-v1"'
    return record(home, LOOP.format(imports="", make=make, seed=3, episodes=1, steps=8))


@pytest.mark.parametrize("kind", ["gif", "png"])
def test_every_frame_is_written_and_counted(cartpole: RunFolder, tmp_path: Path, kind: exports.Kind) -> None:
    done: list[tuple[int, int]] = []
    path = tmp_path / "new" / path_for(cartpole, 0, kind).name
    export = Export(cartpole, 0, kind=kind, path=path, progress=lambda *given: done.append(given))
    assert export.run() == 9
    assert done == [(n, 9) for n in range(1, 10)]
    if kind == "png":
        assert sorted(one.name for one in path.iterdir()) == [f"step-{n:06d}.png" for n in range(9)]
    else:
        assert path.read_bytes()[:3] == b"GIF"


def test_a_cancelled_export_leaves_no_file(cartpole: RunFolder, tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    export = Export(cartpole, 0, kind="mp4", path=path, progress=lambda _done, _of: export.cancel())
    with pytest.raises(ReplayCancelledError):
        export.run()
    assert not list(tmp_path.iterdir())


def test_it_can_be_cancelled_before_it_began_and_from_another_thread(
    cartpole: RunFolder, tmp_path: Path
) -> None:
    export = Export(cartpole, 0, kind="mp4", path=tmp_path / "clip.mp4")
    canceller = threading.Thread(target=export.cancel)
    canceller.start()
    canceller.join()
    with pytest.raises(ReplayCancelledError):
        export.run()


def test_a_gif_that_would_not_fit_in_memory_is_refused(
    cartpole: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "MOST_GIF_FRAMES", 5)
    with pytest.raises(UsageError, match="export MP4 instead"):
        Export(cartpole, 0, kind="gif", path=tmp_path / "clip.gif").run()
    assert not list(tmp_path.iterdir())


def test_by_default_it_goes_into_the_runs_folder(cartpole: RunFolder) -> None:
    assert path_for(cartpole, 7, "mp4") == cartpole.path / "videos" / "episode-000007.mp4"
    assert path_for(cartpole, 7, "png") == cartpole.path / "videos" / "episode-000007"


def test_scenes_are_written_in_the_colours_of_the_window(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    home = tmp_path_factory.mktemp("scenes") / "home"
    home.mkdir(mode=0o700)
    lake = record(home, LOOP.format(imports="", make='"FrozenLake-v1"', seed=3, episodes=1, steps=2))
    shown = []
    for dark in (False, True):
        path = tmp_path / str(dark)
        assert Export(lake, 0, kind="png", path=path, view="scene", dark=dark).run() == 3
        shown.append((path / "step-000000.png").read_bytes())
        assert int.from_bytes(shown[-1][16:20], "big") == 384  # four cells of 96 pixels; a frame has 256
    assert shown[0] != shown[1]
