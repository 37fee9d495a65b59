"""What others test their runners and operators with. Loads nothing before it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mosaic.testing.operators import check_operator
    from mosaic.testing.runners import check_runner

__all__ = ["check_operator", "check_runner"]


def __getattr__(name: str) -> Any:
    if name == "check_runner":
        from mosaic.testing.runners import check_runner  # noqa: PLC0415  (loaded when it is used)

        return check_runner
    if name == "check_operator":
        from mosaic.testing.operators import check_operator  # noqa: PLC0415  (as above)

        return check_operator
    raise AttributeError(f"module 'mosaic.testing' has no attribute {name!r}")
