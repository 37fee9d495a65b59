"""The child's conversation: one request at a time; `done` or `error` is the last answer to each.

`make` says which environment; `unit` hands one in; `attempt` plays, and gives the observations if asked to;
`draw` gives frames and `scene` scenes; `probe` looks for the cause of a difference; `spaces` and `actions`
are for datasets.
While it works it says so several times a second, so that silence means trouble.
"""

from __future__ import annotations

import select
import sys
import time
import traceback
from typing import IO, TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from mosaic_worker.common import wire
from mosaic_worker.common.scene import encode
from mosaic_worker.pixels import frames_per_sec, pixels
from mosaic_worker.replay.build import Builder, ConsentError, RebuildError
from mosaic_worker.replay.columns import Columns, UnfitError, describe
from mosaic_worker.replay.decode import LostError, live
from mosaic_worker.replay.stage import Stage
from mosaic_worker.replay.units import Unit

if TYPE_CHECKING:
    from mosaic_worker.replay.sims import Found

__all__ = ["Server"]

_TELL_SECS = 0.2
_SEVERAL = {
    "aec": "has agents that take turns",
    "parallel": "has agents that act at once",
    "vector": "steps several copies as one",
}


class Server:
    """Answers requests until there are no more."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._requests = requests
        self._answers = answers
        self._stage: Optional[Stage] = None
        self._spaces: Optional[Tuple[Any, Any, Any]] = None
        self._told = 0.0

    def run(self) -> None:
        """Answer until the other side closes its end."""
        self._say({"type": "hello", "python": sys.version.split()[0], "executable": sys.executable})
        while True:
            while self._stage is not None and not self._waiting() and self._stage.idle():
                pass
            message = wire.read(self._requests)
            if message is None:
                break
            self._answer(*message)
        if self._stage is not None:
            self._stage.close()

    def _waiting(self) -> bool:
        return bool(select.select([self._requests], [], [], 0)[0])

    def _say(self, header: Dict[str, Any], body: bytes = b"") -> None:
        wire.write(self._answers, header, body)

    def _answer(self, request: Dict[str, Any], body: bytes) -> None:
        kind = str(request.get("type"))
        try:
            done = getattr(self, f"_on_{kind}")(request, body)
        except ConsentError as error:
            self._say({"type": "error", "kind": "consent", "text": str(error)})
        except (RebuildError, LostError, UnfitError) as error:
            self._say({"type": "error", "kind": "cannot", "text": str(error)})
        except Exception as error:  # noqa: BLE001  (anything an environment raises is an answer, not our end)
            traceback.print_exc()
            self._say({"type": "error", "kind": "failed", "text": f"{type(error).__name__}: {error}"[:2000]})
        else:
            self._say({"type": "done", **(done or {})})

    def _progress(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._told > _TELL_SECS:
            self._told = now
            self._say({"type": "progress", "done": done, "of": total})

    # ---- requests ----

    def _on_make(self, request: Dict[str, Any], body: bytes) -> Dict[str, Any]:
        import json

        if self._stage is not None:
            self._stage.close()
        self._spaces = None
        builder = Builder(
            json.loads(body),
            allowed=request.get("allowed") or (),
            path=request.get("path") or (),
            argv=request.get("argv") or (),
            frames=bool(request.get("frames", True)),
        )
        env = builder.make()
        pace = frames_per_sec(getattr(env, "metadata", None))
        env.close()
        then, now = builder.versions()
        self._stage = Stage(builder)
        return {
            "kind": builder.kind,
            "frames": builder.frames,
            "notes": builder.notes,
            "then": then,
            "now": now,
            "render_fps": pace,
            "source_changed": builder.source_changed(),
        }

    def _on_unit(self, request: Dict[str, Any], body: bytes) -> None:
        self._open.units[int(request["number"])] = Unit.parse(body)

    def _on_forget(self, request: Dict[str, Any], body: bytes) -> None:
        for number in [number for number in self._open.units if number < int(request["below"])]:
            del self._open.units[number]

    def _on_attempt(self, request: Dict[str, Any], body: bytes) -> Dict[str, Any]:
        stage = self._open
        columns = Columns(self._made_spaces()[0]) if request.get("values") else None

        def witness(turn: int, observation: Any) -> None:
            if columns is not None:
                if turn == 0:
                    columns.clear()
                columns.add(observation)

        attempted = stage.attempt(
            int(request["start"]),
            int(request["target"]),
            self._progress,
            seekable=bool(request.get("seekable")),
            tensors=bool(request.get("tensors")),
            witness=None if columns is None else witness,
        )
        if columns is not None and not attempted.differences:
            self._say_columns(columns, "observations")
        differences: List[Any] = [
            {"whose": whose, "turn": turn, **one} for whose, (turn, one) in attempted.differences.items()
        ]
        return {
            "differences": differences,
            "keyframes": stage.seeker is not None and stage.seeker.copyable,
            "scene": stage.has_scene(),
        }

    def _on_spaces(self, request: Dict[str, Any], body: bytes) -> None:
        import json

        observation, action, spec = self._made_spaces()
        told = {"observation": describe(observation), "action": describe(action), "spec": spec}
        self._say({"type": "spaces"}, json.dumps(told).encode())

    def _on_actions(self, request: Dict[str, Any], body: bytes) -> Dict[str, Any]:
        """Executed actions as columns, and proposed ones with a row before them that stands for the reset.

        Where a proposal does not fit the space, the executed action stands in its place.
        """
        import json

        given, space = json.loads(body), self._made_spaces()[1]
        executed, proposed, unfit = Columns(space), Columns(space), []
        proposed.add_nothing()
        for step, (action, proposal) in enumerate(given):
            done = live(action, space)
            executed.add(done)
            try:
                proposed.add(done if proposal == action else live(proposal, space))
            except (UnfitError, LostError):
                unfit.append(step)
                proposed.add(done)
        self._say_columns(executed, "actions")
        self._say_columns(proposed, "proposed_action")
        return {"unfit": unfit}

    def _made_spaces(self) -> Tuple[Any, Any, Any]:
        """The spaces of the environment, and its spec as JSON; None where it has none."""
        if self._spaces is None:
            builder = self._open.builder
            if builder.kind != "single":
                raise RebuildError(f"a dataset has one actor, and its environment {_SEVERAL[builder.kind]}")
            env = builder.make()
            self._spaces = env.observation_space, env.action_space, _spec(env)
            env.close()
        return self._spaces

    def _say_columns(self, columns: Columns, name: str) -> None:
        for header, part in columns.messages(name):
            self._say(header, part)

    def _on_probe(self, request: Dict[str, Any], body: bytes) -> Dict[str, Any]:
        return {"seen": self._open.probe(int(request["target"]), self._progress)}

    def _on_draw(self, request: Dict[str, Any], body: bytes) -> None:
        focus = str(request.get("focus") or "")
        builder = self._open.builder
        if not builder.frames:
            raise RebuildError(builder.notes[0] if builder.notes else "it was made without frames")
        for turn in request["turns"]:
            frame, found = self._open.draw(int(turn), focus)
            header: Dict[str, Any] = {"type": "frame", "turn": int(turn), "differs": _differs(found, focus)}
            try:
                rgb = _rgb(frame)
            except TypeError as error:
                self._say({**header, "why": str(error)})
            else:
                header["height"], header["width"] = int(rgb.shape[0]), int(rgb.shape[1])
                self._say(header, rgb.tobytes())

    def _on_scene(self, request: Dict[str, Any], body: bytes) -> None:
        focus = str(request.get("focus") or "")
        for turn in request["turns"]:
            scene, found = self._open.scene(int(turn))
            header = {"type": "scene", "turn": int(turn), "differs": _differs(found, focus)}
            self._say(header, b"" if scene is None else encode(scene))

    @property
    def _open(self) -> Stage:
        if self._stage is None:
            raise RuntimeError("no environment was made yet")
        return self._stage


def _differs(found: Found, focus: str) -> bool:
    whose = {name for name, _ in found}
    return focus in whose or "" in whose


def _spec(env: Any) -> Optional[str]:
    """What `make` needs to make such an environment again, as gymnasium writes it; None where it cannot."""
    import copy

    try:
        spec = copy.deepcopy(env.spec)
        spec.kwargs.pop("render_mode", None)  # that of the replay
        return str(spec.to_json())
    except Exception:  # noqa: BLE001  (no spec, an old gym, an argument that is not JSON: none of it is an error)
        return None


def _rgb(drawn: Any) -> Any:
    """What was drawn as height x width x 3 bytes.

    Raises:
        TypeError: it is not a frame.
    """
    import numpy as np

    found = pixels(drawn)
    if found.shape[2] == 1:
        found = np.repeat(found, 3, axis=2)
    return np.ascontiguousarray(found[:, :, :3])
