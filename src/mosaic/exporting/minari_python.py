"""Which interpreter writes Minari datasets: one the user names, an environment of its own, or MOSAIC's.

The environment is made and kept as a runner's is, with pins of its own, without minari's extra `create`.
"""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

from mosaic.errors import UsageError
from mosaic.protocol.cards import RunnerCard
from mosaic.runners import building, environments

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot

__all__ = ["CARD", "interpreter"]

CARD = RunnerCard(
    id="minari",
    title="Minari",
    requirements=["minari==0.5.4", "h5py==3.16.0", "pillow==13.0.0", "gymnasium==1.4.0"],
    imports=["minari", "h5py", "PIL"],
)


def interpreter(
    root: DataRoot, *, python: str | None = None, install: Callable[[str, float | None], None] | None = None
) -> str:
    """The Python that has minari.

    Args:
        root: The data root.
        python: One the user names.
        install: Makes the environment when there is none; told what is done now, and how far it is.

    Raises:
        UsageError: there is none; says how to get one.
    """
    found = environments.readiness(root, CARD, python=python)
    if found.usable and found.python is not None:
        return found.python
    if found.state == "broken" and python is not None:
        raise UsageError(f"{found.text}: {found.remedy}")
    if install is not None:
        return building.build(root, CARD, progress=install)
    if importlib.util.find_spec("minari") is not None:
        return sys.executable
    raise UsageError(
        "writing a Minari dataset needs minari, which is not installed. Let MOSAIC make an environment for "
        "it with --install, or name a Python that has minari, h5py and pillow: --python PATH"
    )
