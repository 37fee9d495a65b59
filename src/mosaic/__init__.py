"""MOSAIC: launch, watch, record, replay, compare and supervise agents of any framework.

    import mosaic
    run = mosaic.connect().run(["python", "train.py"])
    run.wait()
    run.episodes()

Importing this costs nothing: everything else is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mosaic.sdk import Connection, Run, connect

__all__ = ["Connection", "Run", "__version__", "connect"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in {"connect", "Connection", "Run"}:
        from mosaic import sdk  # noqa: PLC0415  (lazy on purpose)

        return getattr(sdk, name)
    raise AttributeError(f"module 'mosaic' has no attribute {name!r}")
