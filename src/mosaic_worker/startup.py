"""The worker's first moment, called by sitecustomize: make the recorder, watch imports, exit and forks."""

from __future__ import annotations

import atexit
import json
import os
from typing import TYPE_CHECKING, Any, Dict

import mosaic_worker
from mosaic_worker import hooks, report
from mosaic_worker.hooks import rendering
from mosaic_worker.recorder import Recorder

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["begin"]


def begin() -> None:
    """Start recording this process, if it belongs to a run."""
    run_dir = os.environ.get("MOSAIC_RUN_DIR")
    if not run_dir or mosaic_worker.current() is not None:
        return
    options = _options(os.environ.get("MOSAIC_RECORD", ""))
    recorder = Recorder(
        run_dir,
        inline_bytes=int(options.get("obs_inline_bytes", 1024)),
        segment_bytes=int(float(options.get("segment_mib", 8)) * (1 << 20)),
    )
    mosaic_worker._current = recorder  # noqa: SLF001  (the one place that sets it)
    os.register_at_fork(after_in_child=recorder.after_fork_in_child)
    atexit.register(_finish, recorder)
    rendering.start(recorder, inject=bool(options.get("render_inject", True)))
    hooks.install_all(recorder)
    hooks.on_import("multiprocessing.util", lambda module: _close_in_children(module, recorder))


def _options(text: str) -> Dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        report.once(f"MOSAIC_RECORD is not a JSON object ({text[:60]!r}); recording with the defaults")
        return {}
    return found


def _finish(recorder: Recorder) -> None:
    with report.guard("closing the journal"):
        recorder.close()


def _close_in_children(util: ModuleType, recorder: Recorder) -> None:
    """Children of multiprocessing leave by `os._exit` and run no atexit: they get a finalizer."""

    def in_child(_: Any) -> None:
        util.Finalize(recorder, _finish, args=(recorder,), exitpriority=-1000)

    util.register_after_fork(recorder, in_child)
