"""The recorder: what hooks and scripts call to get events into the journal. One per process."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from mosaic_worker import report

__all__ = ["Recorder"]


class Recorder:
    """Turns happenings into journal lines. Thread-safe."""

    producer: str
    """This process's name in the journal; a forked child gets its own."""
    inline_bytes: int
    """Arrays over this size are recorded as checksum and shape."""

    def emit(self, event: Dict[str, Any]) -> int:
        """Append an event (`type` and its fields); adds `seq` and `t`. Returns the seq, now acknowledged.

        Values may hold numpy arrays and scalars, dicts, tuples and non-finite floats: they are encoded here.
        """
        raise NotImplementedError

    def metric(self, name: str, value: Any, step: Optional[int] = None, source: Optional[str] = None) -> int:
        """Record one scalar under the name its source gave it."""
        raise NotImplementedError

    def config(self, **fields: Any) -> int:
        """Record what the run was told. `algo env_id seed run_id args` are fields; the rest goes into `args`."""
        raise NotImplementedError

    def checkpoint(
        self,
        path: Any,
        step: Optional[int] = None,
        kind: Optional[str] = None,
        meta: Optional[Dict[str, Any]] = None,
    ) -> int:
        """Record a saved file: hashed here and now, run-relative when inside the run folder."""
        raise NotImplementedError

    def note(self, text: str, level: str = "info") -> int:
        """Record a line of text for people."""
        raise NotImplementedError

    def new_env_key(self) -> str:
        """A name for one more environment of this process: `e0`, `e1`, …"""
        raise NotImplementedError

    def at_close(self, finish: Callable[[], None]) -> None:
        """Call `finish()` just before the recorder closes (to cut unfinished episodes)."""
        raise NotImplementedError

    def guard(self, where: str) -> report.guard:
        """A context manager at a hook's boundary: what fails inside is counted, said once, and swallowed."""
        return report.guard(where)

    def close(self) -> None:
        """Cut what is unfinished, say `bye`, let go of the segment."""
        raise NotImplementedError
