"""MOSAIC from Python: start runs, wait for them, read what they did.

    import mosaic
    run = mosaic.connect().run(["python", "train.py"])
    run.wait()
    for episode in run.episodes():
        ...

Reading goes straight to the run's files and works without a daemon. Starting and stopping ask the daemon,
which is started when there is none. Importing this package loads nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mosaic.sdk.connection import Connection, connect
    from mosaic.sdk.run import Run

__all__ = ["Connection", "Run", "connect"]


def __getattr__(name: str) -> Any:
    if name in ("Connection", "connect"):
        from mosaic.sdk import connection

        return getattr(connection, name)
    if name == "Run":
        from mosaic.sdk.run import Run

        return Run
    raise AttributeError(f"module 'mosaic.sdk' has no attribute {name!r}")
