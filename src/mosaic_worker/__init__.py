"""Recording from inside a worker. Standard library only; does nothing by itself outside `mosaic run`.

    import mosaic_worker as mosaic

    run = mosaic.start()
    run.metric("loss", 0.5, step=10)

Under `mosaic run` the recorder is already there and everything it can see is recorded; this is for the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["Run", "belief", "checkpoint", "config", "current", "decision", "metric", "note", "start"]

_current: Optional[Recorder] = None


def current() -> Optional[Recorder]:
    """The recorder of this process, or None when it is not being recorded."""
    return _current


class Run:
    """A handle on the run this process belongs to. Outside a run every call does nothing."""

    @property
    def recording(self) -> bool:
        """Whether this process is being recorded."""
        return current() is not None

    def metric(self, name: str, value: Any, step: Optional[int] = None) -> None:
        """Record one number."""
        recorder = current()
        if recorder is not None:
            recorder.metric(name, value, step)

    def config(self, **fields: Any) -> None:
        """Record hyperparameters: `algo`, `env_id`, `seed`, and any others by name."""
        recorder = current()
        if recorder is not None:
            recorder.config(**fields)

    def checkpoint(
        self,
        path: Any,
        step: Optional[int] = None,
        kind: Optional[str] = None,
        meta: Optional[Dict[str, Any]] = None,
    ) -> None:
        """Record a file the policy was saved to. It must be complete: it is hashed now."""
        recorder = current()
        if recorder is not None:
            recorder.checkpoint(path, step=step, kind=kind, meta=meta)

    def note(self, text: str, level: str = "info") -> None:
        """Record a line of text."""
        recorder = current()
        if recorder is not None:
            recorder.note(text, level)

    def decision(self, **fields: Any) -> None:
        """Record who decided what, before the step: `operator proposed executed verdict by reason ms`.

        Any other field goes into `data`. Say `episode_id` and `step` where more than one episode is open.
        """
        recorder = current()
        if recorder is not None:
            recorder.decision(**fields)

    def belief(self, **fields: Any) -> None:
        """Record what a BDI agent holds true: `data`, or what changed, `add delete chosen intentions`."""
        recorder = current()
        if recorder is not None:
            recorder.belief(**fields)


_run = Run()
metric = _run.metric
config = _run.config
checkpoint = _run.checkpoint
note = _run.note
decision = _run.decision
belief = _run.belief


def start() -> Run:
    """The run this process belongs to. Outside `mosaic run` it says so once and records nothing."""
    if current() is None:
        import sys

        from mosaic_worker import report

        script = " ".join(getattr(sys, "argv", []) or ["train.py"])
        report.once(f"not recording; this would: mosaic run -- python {script}")
    return _run
