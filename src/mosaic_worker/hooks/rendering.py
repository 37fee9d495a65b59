"""Frames of an environment, made without it or its script noticing. Imports nothing the script did not.

An environment made without `render_mode` is asked for one frame by setting the attribute for the length of
that call: `make`, `spec`, arguments and what the script itself sees of `render` stay what they were.
Those that show themselves in a window (`human`) are left alone. gym before 0.26 is asked by argument
(`render(mode=…)`). MuJoCo without a display draws by EGL, for the length of our call.
"""

from __future__ import annotations

import functools
import os
import sys
import zlib
from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, Tuple

from mosaic_worker.common.layout import HUMAN, SHOWN, TRANSPOSED, WITHOUT_FRAMES
from mosaic_worker.common.scene import encode
from mosaic_worker.frames import frames
from mosaic_worker.pixels import pixels

if TYPE_CHECKING:
    from mosaic_worker.episodes import Track
    from mosaic_worker.frames import Fitted
    from mosaic_worker.recorder import Recorder

__all__ = ["fit", "make_scene", "meet", "meet_agents", "remedy", "render", "render_vector", "start"]

_RGB = "rgb_array"
_FIRST_TIME = {
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",  # the script's standard output is its own
    "SDL_NO_SIGNAL_HANDLERS": "1",  # SDL would turn SIGTERM into a message nobody reads
}


def start(recorder: Recorder, *, inject: bool) -> None:
    """Show this process's environments to whoever watches the run."""
    frames.start(recorder.run_dir, producer=lambda: recorder.producer, fit=fit, remedy=remedy, inject=inject)
    os.register_at_fork(after_in_child=frames.after_fork_in_child)
    recorder.at_close(frames.close)


def meet(env: Any, owner: Any, tracks: Sequence[Track], *, vector: bool = False) -> None:
    """An environment was reset: list it for viewers, the first time."""
    if not frames.knows(owner):
        state, note = _state(env.unwrapped)
        draw = render_vector if vector else render
        told = None if vector else make_scene
        frames.add(owner, tracks, render=draw, state=state, note=note, env=env, make_scene=told)


def meet_agents(env: Any, shown: Any) -> None:
    """A multi-agent environment was reset. Only those made to be drawn have what drawing needs."""
    if frames.knows(shown):
        return
    base = env.unwrapped
    mode = getattr(base, "render_mode", None)
    state, note = SHOWN, ""
    if mode == "human":
        state, note = _state(base)
    elif mode != _RGB:
        state = WITHOUT_FRAMES
        note = f"{type(base).__name__} was made without render_mode='rgb_array': there is nothing to see"
    frames.add(shown, [shown], render=render, state=state, note=note, env=env, make_scene=make_scene)


def make_scene(env: Any, last: Any) -> Optional[bytes]:
    """What is there now, as the lane carries it; None where nobody knows how to tell."""
    # Imported when somebody first watches: looking for others' scenes reads what is installed.
    from mosaic_worker.scenes.by_id import scene_of

    scene = scene_of(env, last=last)
    return None if scene is None else zlib.compress(encode(scene), 1)


def _asked_by_argument(base: Any) -> bool:
    """Whether it is of the time before `render_mode`: gym up to 0.21, and what was written for it."""
    modes = (getattr(base, "metadata", None) or {}).get("render.modes") or ()
    return _RGB in modes and not hasattr(base, "render_mode")


def _state(base: Any) -> Tuple[int, str]:
    if _asked_by_argument(base):
        return SHOWN, ""
    mode = getattr(base, "render_mode", "")
    if mode == _RGB:
        return SHOWN, ""
    if mode == "human":
        return HUMAN, "this environment shows itself in a window (render_mode='human')"
    name = type(base).__name__
    modes = (getattr(base, "metadata", None) or {}).get("render_modes") or ()
    if mode == "" or _RGB not in modes:
        return WITHOUT_FRAMES, f"{name} has no render mode 'rgb_array': there is nothing to see"
    if not frames.inject:
        return WITHOUT_FRAMES, f"{name} was made without render_mode, and the setting render_inject is off"
    return SHOWN, ""


def render(env: Any) -> Sequence[Any]:
    """One frame of an environment."""
    return [_render(env.unwrapped)]


def render_vector(env: Any) -> Sequence[Any]:
    """A frame of each position of an environment that is vectorised in itself."""
    found = _render(env.unwrapped)
    return [found] if getattr(found, "ndim", 0) == 3 else list(found)


def _render(base: Any) -> Any:
    _refuse_hopeless(base)
    if _asked_by_argument(base):
        return _call(functools.partial(base.render, mode=_RGB), base)
    before = getattr(base, "render_mode", None)
    if before == _RGB:
        return _call(base.render, base)
    # Lent for this one call. Passing it to `make` instead would change the spec, the constructor's branches
    # and what is recorded. An attribute that was the class's must not stay behind on the instance.
    own = "render_mode" in getattr(base, "__dict__", {})
    base.render_mode = _RGB
    try:
        return _call(base.render, base)
    finally:
        if own:
            base.render_mode = before
        else:
            del base.render_mode


def _call(draw: Callable[[], Any], base: Any) -> Any:
    wanted = {} if "pygame" in sys.modules else dict(_FIRST_TIME)
    if _without_screen() and hasattr(base, "mujoco_renderer"):  # reads it when it first draws
        wanted["MUJOCO_GL"] = "egl"
    if not wanted:
        return draw()
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        return draw()
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


class HopelessError(Exception):
    """Rendering is known to fail here, perhaps by ending the process: not tried."""


def _without_screen() -> bool:
    """Whether MuJoCo would look for a display, find none, and end the process."""
    if "mujoco" not in sys.modules or os.environ.get("MUJOCO_GL"):
        return False
    return not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _refuse_hopeless(base: Any) -> None:
    if _without_screen() and not hasattr(base, "mujoco_renderer"):
        raise HopelessError("MuJoCo has no display to draw on")


def remedy(error: Exception) -> str:
    """What the user can do about a frame that could not be made."""
    text = f"{type(error).__module__} {type(error).__name__} {error}".lower()
    if "mujoco" in sys.modules or "mujoco" in text or "gl" in text.split():
        return "Start the run with MUJOCO_GL=egl (or osmesa) in its environment."
    if isinstance(error, ImportError) or "notinstalled" in text:
        return "Install what the message names into the environment of the script."
    if "video" in text or "display" in text:
        return "Start the run with SDL_VIDEODRIVER=dummy in its environment."
    return "Make the environment with render_mode='rgb_array' in a script of your own to see it fail there."


def fit(frame: Any, most_width: int, most_height: int) -> Fitted:
    """A frame as the lane wants it; larger ones lose every n-th row and column.

    Raises:
        TypeError: it is not an array of bytes in the shape of a frame.
    """
    frame = pixels(frame)
    height, width, channels = frame.shape
    skip = max(-(-width // (most_width or width)), -(-height // (most_height or height)))
    if skip > 1:
        frame = frame[::skip, ::skip].copy()
        height, width, channels = frame.shape
    # pygame keeps a surface column by column, and an array of it is a turned view. Copying the bytes as they
    # lie is one quick copy; turning them here would cost the training what the reader can do as well.
    if frame.flags.c_contiguous:
        return frame, width, height, channels, 0
    turned = frame.transpose(1, 0, 2)
    if turned.flags.c_contiguous:
        return turned, width, height, channels, TRANSPOSED
    return frame.copy(), width, height, channels, 0
