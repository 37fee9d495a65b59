"""Files that other programs open: read back with other code than wrote them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from mosaic.errors import ReplayError
from mosaic.exporting.video import png_bytes, write_gif, write_mp4, write_png
from mosaic.replay.cache import Frame


def frames(count: int, *, width: int = 31, height: int = 21) -> Iterator[Frame]:
    for step in range(count):
        image = np.zeros((height, width, 3), np.uint8)
        image[:, : 1 + step % width] = (250, 10 * (step % 20), 60)
        yield Frame(step, width, height, image.tobytes())


def test_a_png_holds_the_very_pixels(tmp_path: Path) -> None:
    (frame,) = frames(1)
    (tmp_path / "one.png").write_bytes(png_bytes(frame))
    with Image.open(tmp_path / "one.png") as image:
        assert np.array_equal(np.asarray(image), frame.array())


def test_one_png_per_step(tmp_path: Path) -> None:
    assert write_png(frames(3), tmp_path / "out") == 3
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        f"step-{k:06d}.png" for k in range(3)
    ]


def test_a_video_has_a_frame_for_every_picture_even_of_odd_size(tmp_path: Path) -> None:
    assert write_mp4(frames(37), tmp_path / "a.mp4", fps=30) == 37
    with av.open(str(tmp_path / "a.mp4")) as container:
        stream = container.streams.video[0]
        decoded = [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)]
        assert stream.codec_context.name == "h264"
        assert float(stream.average_rate) == 30.0
    assert len(decoded) == 37
    assert decoded[0].shape == (22, 32, 3)
    wanted = list(frames(37))[20].array().astype(int)
    assert np.abs(decoded[20][:21, :31].astype(int) - wanted).mean() < 12


def test_a_gif_has_a_frame_for_every_picture(tmp_path: Path) -> None:
    assert write_gif(frames(5), tmp_path / "a.gif", fps=20) == 5
    with Image.open(tmp_path / "a.gif") as image:
        assert image.n_frames == 5
        assert image.info["duration"] == 50


def broken() -> Iterator[Frame]:
    yield from frames(3)
    raise ReplayError("the process is gone")


@pytest.mark.parametrize(("write", "name"), [(write_mp4, "a.mp4"), (write_gif, "a.gif")])
def test_a_file_appears_whole_or_not_at_all(tmp_path: Path, write: object, name: str) -> None:
    assert callable(write)
    with pytest.raises(ReplayError, match="gone"):
        write(broken(), tmp_path / name, fps=30)
    with pytest.raises(ReplayError, match="no pictures"):
        write(iter(()), tmp_path / name, fps=30)
    assert list(tmp_path.iterdir()) == []


def test_pictures_that_change_their_size_make_no_video(tmp_path: Path) -> None:
    mixed = [*frames(1), *frames(1, width=40)]
    with pytest.raises(ReplayError, match="change their size"):
        write_mp4(mixed, tmp_path / "a.mp4", fps=30)
