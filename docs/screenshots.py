"""Pictures of the desktop for the documentation: real runs, every tab, both themes, two sizes.

`make screenshots`; with names as arguments, only those. The program runs on a screen of its own (Xvfb), on a
data root of its own; each picture is taken once what it is to show is there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from mosaic.paths import DataRoot  # noqa: E402
from tests.daemons import running_daemon  # noqa: E402
from tests.ui.journey.desk import Desk, xvfb  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

IMAGES = ROOT / "docs" / "images"
SIZES = ((1280, 800), (2560, 1440))
THEMES = ("light", "dark")
MOST_BYTES = 6 << 20

RUNNING = "next(row.run_id for row in c.runs.rows if row.name == 'slippery lake')"
GAME = "next(row.run_id for row in c.runs.rows if row.name == 'connect four')"
SEAT = "w.play.playing.seat"
MOVES = (3, 4, 2)  # columns, of the person who plays against chance
SEEDS = "[row.run_id for row in c.runs.rows if row.group]"

SHOTS = {
    "live": [
        f"c.selection.choose([{RUNNING}])",
        "w.show_part(w.runs), w.show_part(w.live), w.show_part(w.charts)",
        "?print_of(w.live.view.image)",
        "?'return' in w.charts.plots and w.charts.plots['return'].x_of(c.selection.focus)",
    ],
    "telemetry": [f"c.selection.choose([{RUNNING}])", "w.show_part(w.telemetry), w.show_part(w.details)"],
    "compare": [
        f"c.selection.choose({SEEDS})",
        "w.show_part(w.live), w.show_part(w.charts)",
        "?all(w.charts.plots['return'].x_of(run_id) for run_id in c.selection.chosen)",
    ],
    "replay": [
        f"c.selection.choose({SEEDS}[:1])",
        "w.show_part(w.replay), w.show_part(w.episodes)",
        "c.asks.replay.emit(c.selection.focus, None)",
        "?w.replay.replaying.opened is not None and w.replay.replaying.shown is not None",
        "w.replay.replaying.go_to(w.replay.replaying.book.best)",
        "?w.replay.replaying.episode == w.replay.replaying.book.best",
        "?w.replay.replaying.opened is not None",
        "?w.replay.replaying.shown is not None",
        "w.replay.transport.pause() or w.replay.transport.seek(min(4, w.replay.transport.last))",
        "?w.replay.replaying.shown.step == w.replay.transport.position",
    ],
    "launch": [
        f"c.selection.choose({SEEDS}[:1])",
        "w.show_part(w.launch), w.show_part(w.replay), w.show_part(w.checkpoints)",
        "?w.launch.button.isEnabled()",
    ],
    "play": [
        f"c.selection.choose([{GAME}])",
        "w.show_part(w.runs), w.show_part(w.live), w.show_part(w.details)",
        f"?{SEAT} is not None and {SEAT}.waits and w.live.live.offered",
        "w.live.live.choose_view('scene')",
        *(
            line
            for number, column in enumerate(MOVES)
            for line in (
                f"w.play.playing.act({column}) if {SEAT}.step == {number} else None",
                f"?{SEAT} is not None and {SEAT}.waits and {SEAT}.step > {number}",
            )
        ),
        "?print_of(w.live.view.image)",
    ],
    "palette": ["w.show_part(w.runs)", "w.palette_sheet.open()", "keys('rep')"],
    "keys": ["w.palette_sheet.dismiss()", "w.key_sheet.open()"],
}
"""What is done before each picture; a line that begins with `?` is waited for."""


SMALL = ("welcome", "telemetry", "play", "palette", "keys")
"""They look the same on a larger screen, so only the smaller one is taken."""


def main() -> None:
    """Take all pictures."""
    with tempfile.TemporaryDirectory() as folder, short_place() as place, xvfb("2560x1440x24") as display:
        home = place / "runs"
        home.mkdir(mode=0o700)
        log, python = Path(folder) / "log", python_in(place)
        os.environ["MOSAIC_HOME"] = str(home)
        with running_daemon(DataRoot(home)):
            take(
                Desk(home, display, log=log, python=python),
                "welcome",
                ["?w.welcome.buttons['frozenlake'].isEnabled()"],
            )
            make_runs(python, place)
            desk = Desk(home, display, log=log, python=python)
            for theme in THEMES:
                for size in SIZES:
                    for name, steps in SHOTS.items():
                        wanted = not sys.argv[1:] or name in sys.argv[1:]
                        if wanted and size in sizes_of(name):
                            shoot(desk, name, steps, theme=theme, size=size)
                    desk.ask("w.key_sheet.dismiss()")
            desk.close()
    total = sum(path.stat().st_size for path in IMAGES.glob("desktop-*.png"))
    print(f"{total / 1e6:.1f} MB in all")
    if total > MOST_BYTES:
        raise SystemExit("the pictures are too large")


@contextlib.contextmanager
def short_place() -> Iterator[Path]:
    """A folder with a short name, in which `mosaic` is this repository: pictures show paths."""
    place = Path(tempfile.gettempdir()) / "ada"
    place.mkdir(mode=0o700)
    (place / "mosaic").symlink_to(ROOT)
    try:
        yield place
    finally:
        (place / "mosaic").unlink()
        shutil.rmtree(place)


def python_in(place: Path) -> str:
    """This interpreter, by the shorter name it has there."""
    python = Path(sys.executable)
    return str(place / "mosaic" / python.relative_to(ROOT) if python.is_relative_to(ROOT) else python)


def make_runs(python: str, place: Path) -> None:
    """A few real ones: seeds to compare, one that failed, one that trains, a game that waits for a person."""
    mosaic = [python, "-m", "mosaic"]
    train = [*mosaic, "train", "tabular/q_learning"]
    taxi = [
        *train,
        "Taxi-v4",
        "--seeds",
        "1-3",
        "--steps",
        "150000",
        "--name",
        "taxi",
        "--tag",
        "study=seeds",
    ]
    broken = "import sys; print('reading data.csv'); sys.exit('data.csv: no such file')"
    for command in (
        taxi,
        [*mosaic, "run", "--name", "broken script", "--", "python3", "-c", broken],
        [
            *train,
            "FrozenLake-v1",
            "--seed",
            "7",
            "--steps",
            "400000000",
            "--name",
            "slippery lake",
            "--detach",
        ],
        [
            *mosaic,
            "play",
            "pettingzoo.classic.connect_four_v3",
            "--operator",
            "random",
            "--seat",
            "player_0=person",
            "--name",
            "connect four",
            "--detach",
        ],
    ):
        subprocess.run(command, cwd=place, check=False, stdout=subprocess.DEVNULL)


def take(desk: Desk, name: str, steps: list[str]) -> None:
    """The same thing in every look, and close."""
    for theme in THEMES:
        for size in sizes_of(name):
            shoot(desk, name, steps, theme=theme, size=size)
    desk.close()


def sizes_of(name: str) -> tuple[tuple[int, int], ...]:
    """How large its pictures are taken."""
    return SIZES[:1] if name in SMALL else SIZES


def shoot(desk: Desk, name: str, steps: list[str], *, theme: str, size: tuple[int, int]) -> None:
    """One picture."""
    desk.until("c.link.connected")
    if desk.ask("(w.width(), w.height())") != [*size]:
        desk.ask(f"w.resize({size[0]}, {size[1]}) or w.move(0, 0)")
        desk.until(f"(w.width(), w.height()) == {size}")
        desk.ask("w.arrange()")
    desk.ask(f"w.set_theme('{theme}')")
    for step in steps:
        desk.until(step[1:]) if step.startswith("?") else desk.ask(step)
    desk.ask("QTest.qWait(1500)")  # curves and tables follow within a second
    for step in steps:
        if step.startswith("?"):
            desk.until(step[1:])
    path = IMAGES / f"desktop-{name}-{theme}-{size[0]}.png"
    desk.ask(f"w.grab().save('{path}')")
    with Image.open(path) as image:
        image.convert("RGB").save(path, optimize=True)
    print(path.name, path.stat().st_size // 1024, "KiB", flush=True)


if __name__ == "__main__":
    main()
