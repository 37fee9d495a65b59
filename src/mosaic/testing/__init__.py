"""What others test their runners with. Loads nothing before it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mosaic.testing.runners import check_runner

__all__ = ["check_runner"]


def __getattr__(name: str) -> Any:
    if name == "check_runner":
        from mosaic.testing.runners import check_runner  # noqa: PLC0415  (loaded when it is used)

        return check_runner
    raise AttributeError(f"module 'mosaic.testing' has no attribute {name!r}")
