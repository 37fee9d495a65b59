"""What a scene costs: to make it, to send it, to paint it; beside the environment's own drawing of itself.

Each environment is played some steps at random first. The peer is `render()` in the mode `rgb_array`, at the
size the environment draws by default; our painting is into an image of 512 x 512. Times are of the processor,
the median of several rounds, so that a busy machine does not change them much. Environments that are not
installed are left out.
"""

from __future__ import annotations

import functools
import importlib
import os
import random
import statistics
import time
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["NAMES", "measure"]

NAMES = {
    "chess": "chess",
    "connect_four": "connect four",
    "tictactoe": "tic-tac-toe",
    "go": "go, 19 x 19",
    "frozen_lake": "FrozenLake",
    "cliff_walking": "CliffWalking",
    "taxi": "Taxi",
    "minigrid": "MiniGrid DoorKey 8 x 8",
}
_GAMES = {"chess": 24, "connect_four": 14, "tictactoe": 4, "go": 60}
_SINGLE = {
    "frozen_lake": "FrozenLake-v1",
    "cliff_walking": "CliffWalking-v1",
    "taxi": "Taxi-v4",
    "minigrid": "MiniGrid-DoorKey-8x8-v0",
}
SIDE = 512


def measure(*, rounds: int = 5, times: int = 20) -> dict[str, float]:
    """Microseconds to make, encode, decode and paint each scene and to render its environment; and bytes."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    from PySide6.QtGui import QGuiApplication, QImage, QPainter

    from mosaic.render.painting import fit, paint
    from mosaic.render.svg import svg
    from mosaic.render.themes import LIGHT
    from mosaic.ui.shell.widgets.scene_view import draw
    from mosaic_worker.common.scene import decode, encode
    from mosaic_worker.scenes.by_id import scene_of

    app = QGuiApplication.instance() or QGuiApplication([])
    image = QImage(SIDE, SIDE, QImage.Format.Format_RGB32)

    def painted(scene: Any) -> None:
        painter = QPainter(image)
        draw(painter, paint(scene, fit(scene, SIDE, SIDE), LIGHT))
        painter.end()

    found: dict[str, float] = {}
    for name in NAMES:
        try:
            env = _game(name) if name in _GAMES else _single(name)
        except ImportError:
            continue
        scene = scene_of(env)
        if scene is None:
            raise RuntimeError(f"{name} has no scene")
        data = encode(scene)
        work: dict[str, Callable[[], object]] = {
            "make": functools.partial(scene_of, env),
            "encode": functools.partial(encode, scene),
            "decode": functools.partial(decode, data),
            "paint": functools.partial(painted, scene),
            "svg": functools.partial(svg, scene),
            "render": env.render,
        }
        for what, do in work.items():
            found[f"{name}_{what}_us"] = _cpu_micros(do, rounds, times)
        found[f"{name}_bytes"] = len(data)
        found[f"{name}_packed_bytes"] = len(zlib.compress(data))
        env.close()
    del app
    return found


def _cpu_micros(do: Callable[[], object], rounds: int, times: int) -> float:
    do()
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(times):
            do()
        taken.append((time.process_time() - start) / times * 1e6)
    return statistics.median(taken)


def _game(name: str) -> Any:
    env = importlib.import_module(f"pettingzoo.classic.{name}.{name}").env(render_mode="rgb_array")
    env.reset(seed=1)
    dice = random.Random(1)
    for _ in range(_GAMES[name]):
        observed, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            break
        env.step(dice.choice(observed["action_mask"].nonzero()[0].tolist()))
    return env


def _single(name: str) -> Any:
    import gymnasium

    if name == "minigrid":
        importlib.import_module("minigrid")
    env = gymnasium.make(_SINGLE[name], render_mode="rgb_array")
    env.reset(seed=3)
    env.action_space.seed(3)
    env.step(env.action_space.sample())
    return env
