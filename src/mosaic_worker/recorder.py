"""The recorder: what hooks and scripts call to get events into the journal. One per process.

It starts nothing and writes nothing by itself: the first event creates the segment, so a helper process
that records nothing leaves nothing.
"""

from __future__ import annotations

import os
import sys
import time
import weakref
from typing import Any, Callable, Dict, List, Optional, Protocol, Tuple

import mosaic_worker
from mosaic_worker import report
from mosaic_worker.encode import dumps, float_bytes, object_bytes
from mosaic_worker.journal import Channel, Journal
from mosaic_worker.listing import Listing
from mosaic_worker.values import plain, text

__all__ = ["PROTOCOL_VERSION", "Recorder"]

PROTOCOL_VERSION = 1
_CONFIG_FIELDS = ("run_id", "algo", "env_id", "seed", "args")
_STEP_FIELDS = ("episode_id", "step", "agent_id", "data")
_DECISION_FIELDS = (*_STEP_FIELDS, "operator", "proposed", "executed", "verdict", "by", "reason", "ms")
_BELIEF_FIELDS = (*_STEP_FIELDS, "add", "del", "chosen", "intentions")
_PACKAGES = (
    "gymnasium",
    "gym",
    "pettingzoo",
    "numpy",
    "torch",
    "jax",
    "stable_baselines3",
    "tensorboard",
    "wandb",
)
_MAX_CACHED_NAMES = 4096


class Unfinished(Protocol):
    """An episode that has begun, as the recorder knows it."""

    @property
    def episode_id(self) -> str:
        """Its id."""

    @property
    def step_count(self) -> int:
        """How many steps it has."""

    def cut(self) -> None:
        """The process ends, and the episode with it."""


class Recorder:
    """Turns happenings into journal lines. Thread-safe, and safe inside signal handlers and after a fork.

    Args:
        run_dir: the run's folder; lines go to its `journal/`.
        inline_bytes: arrays over this size are recorded as checksum and shape.
        segment_bytes: the size of a journal segment.
    """

    def __init__(self, run_dir: str, *, inline_bytes: int = 1024, segment_bytes: int = 8 << 20) -> None:
        self.run_dir = os.path.abspath(run_dir)
        self.inline_bytes = inline_bytes
        self._journal = Journal(
            os.path.join(self.run_dir, "journal"), segment_bytes=segment_bytes, hello=self._hello
        )
        self.listing = Listing(self.run_dir, emit=self.emit)
        self._metric_names: Dict[str, bytes] = {}
        self._finishers: List[Callable[[], None]] = []
        self._open: weakref.WeakSet[Unfinished] = weakref.WeakSet()
        self._env_keys = 0
        self._groups = 0
        self._born = time.time_ns() // 1000

    @property
    def producer(self) -> str:
        """This process's name in the journal; a forked child gets its own."""
        return self._journal.producer

    @property
    def epoch(self) -> int:
        """Grows when a fork makes this recorder another producer."""
        return self._journal.epoch

    def channel(self) -> Channel:
        """A fast road into the journal for one caller."""
        return Channel(self._journal)

    # ---- events ----

    def emit(self, event: Dict[str, Any]) -> int:
        """Append an event (`type` and its fields); adds `seq` and `t`. Returns the seq, now acknowledged.

        Values may hold numpy arrays and scalars, dicts, tuples and non-finite floats: they are encoded here.
        """
        fields = {name: value for name, value in event.items() if name not in ("seq", "t")}
        return self._append(object_bytes(fields, self.inline_bytes))

    def _append(self, body: bytes) -> int:
        return self._journal.append(b'%b,"t":%de-6' % (body, time.time_ns() // 1000))

    def metric(self, name: str, value: Any, step: Optional[int] = None, source: Optional[str] = None) -> int:
        """Record one scalar under the name its source gave it."""
        coded = self._metric_names.get(name)
        if coded is None:
            coded = b'{"type":"metric","name":%b' % dumps(text(str(name)))
            if len(self._metric_names) < _MAX_CACHED_NAMES:
                self._metric_names[name] = coded
        parts = [coded, b',"value":', float_bytes(float(value))]
        if step is not None:
            parts.append(b',"step":%d' % int(step))
        if source is not None:
            parts.append(b',"source":%b' % dumps(text(source)))
        return self._append(b"".join(parts))

    def config(self, **fields: Any) -> int:
        """Record the run's settings: `algo env_id seed run_id args`; any other goes into `args`.

        Of a secret in them a mark is recorded.
        """
        from mosaic_worker.common import redact  # compiles patterns: only for those who record this

        known = {name: fields.pop(name) for name in _CONFIG_FIELDS if name in fields}
        args = dict(known.pop("args", None) or {})
        args.update(fields)
        event: Dict[str, Any] = {"type": "config", **{k: v for k, v in known.items() if v is not None}}
        if args:
            event["args"] = redact.hide_values(args, redact.known(os.environ, _argv()))
        return self.emit(event)

    def checkpoint(
        self,
        path: Any,
        step: Optional[int] = None,
        kind: Optional[str] = None,
        meta: Optional[Dict[str, Any]] = None,
    ) -> int:
        """Record a saved file or folder: hashed here and now, run-relative when inside the run folder.

        Raises:
            OSError: there is no such thing, or it cannot be read.
        """
        return self.listing.add(path, step=step, kind=kind, meta=meta)

    def note(self, text: str, level: str = "info") -> int:
        """Record a line of text for people."""
        event = {"type": "log", "text": str(text)}
        if level != "info":
            event["level"] = level
        return self.emit(event)

    def decision(self, **fields: Any) -> int:
        """Record who decided what, before the step: `operator proposed executed verdict by reason ms`.

        Any other field goes into `data`. Without `episode_id` it is about the next step of the open episode
        of this process, if there is just one.
        """
        return self._about_step("decision", _DECISION_FIELDS, fields)

    def belief(self, **fields: Any) -> int:
        """Record what a BDI agent holds true: `data`, or what changed, `add delete chosen intentions`.

        Any other field goes into `data`; the episode as in `decision`.
        """
        if "delete" in fields:
            fields["del"] = fields.pop("delete")  # `del` is a word of Python's own
        return self._about_step("belief", _BELIEF_FIELDS, fields)

    def _about_step(self, kind: str, known: Tuple[str, ...], fields: Dict[str, Any]) -> int:
        event = {name: fields.pop(name) for name in known if fields.get(name) is not None}
        others = {name: value for name, value in fields.items() if name not in known}
        if others:
            data = event.get("data", {})
            event["data"] = {**(data if isinstance(data, dict) else {"data": data}), **others}
        if "episode_id" not in event:
            tracks = list(self._open)
            if len(tracks) == 1:
                event["episode_id"] = tracks[0].episode_id
                event.setdefault("step", tracks[0].step_count)
        return self.emit({"type": kind, **event})

    # ---- for hooks ----

    def new_env_key(self) -> str:
        """A name for one more environment of this process: `e0`, then `e1` and so on."""
        key = f"e{self._env_keys}"
        self._env_keys += 1
        return key

    def new_group(self) -> str:
        """A name for what ties the episodes of one vector environment together."""
        self._groups += 1
        return f"{self.producer}.v{self._groups - 1}"

    def opened(self, track: Unfinished) -> None:
        """Remember an unfinished episode: it is cut when the process ends."""
        self._open.add(track)

    def closed(self, track: Unfinished) -> None:
        """Forget an episode that ended."""
        self._open.discard(track)

    def at_close(self, finish: Callable[[], None]) -> None:
        """Call `finish()` just before the recorder closes (to cut unfinished episodes)."""
        self._finishers.append(finish)

    def guard(self, where: str) -> report.guard:
        """A context manager at a hook's boundary: what fails inside is counted, said once, and swallowed."""
        return report.guard(where)

    def __reduce__(self) -> Tuple[Any, ...]:
        # Environment classes of a main script are pickled by value (cloudpickle), our methods with them: in
        # the process where they come out again they find the recorder of that process.
        return mosaic_worker.current, ()

    # ---- the end, and forks ----

    def close(self, reason: str = "") -> None:
        """Cut what is unfinished, say `bye`, let go of the segment. Nothing recorded leaves nothing."""
        for track in list(self._open):
            with report.guard("cutting an episode"):
                track.cut()
        for finish in self._finishers:
            with report.guard("finishing"):
                finish()
        with report.guard("listing checkpoints"):
            self.listing.close()
        if not self._journal.open:
            return
        event: Dict[str, Any] = {"type": "bye", "events": self._journal.next_seq + 1}
        if reason:
            event["reason"] = reason
        failed = report.counts()
        if failed:
            event["hook_errors"] = failed
        self.emit(event)
        self._journal.close()

    def after_fork_in_child(self) -> None:
        """Become the recorder of the child: a new producer, with none of the parent's episodes."""
        self._journal.after_fork_in_child()
        self.listing.after_fork_in_child()
        self._open = weakref.WeakSet()
        self._env_keys = 0
        self._born = time.time_ns() // 1000

    def _hello(self, producer: str) -> bytes:
        from mosaic_worker.common import redact

        argv = _argv()
        packages = {}
        for name in _PACKAGES:
            version = getattr(sys.modules.get(name), "__version__", None)
            if isinstance(version, str):
                packages[name] = version
        fields = {
            "type": "hello",
            "protocol": PROTOCOL_VERSION,
            "producer": producer,
            "pid": os.getpid(),
            "parent_pid": os.getppid(),
            "python": ".".join(map(str, sys.version_info[:3])),
            "executable": text(sys.executable or ""),
            "argv": redact.hide_words(argv, redact.known(os.environ, argv)),
            "packages": packages,
        }
        return b'%b,"t":%de-6' % (dumps(plain(fields))[:-1], self._born)


def _argv() -> List[str]:
    return [str(argument) for argument in getattr(sys, "argv", None) or []]
