"""What lies on the disk below a path being typed. Reads one folder; called off the window's thread."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["paths_like"]


def paths_like(text: str, *, folders_only: bool, most: int = 200) -> list[str]:
    """The paths that go on from a typed one, at most `most`; none when there is nothing to read.

    What begins with a dot is offered once a dot is typed.
    """
    typed = Path(text).expanduser()
    if not typed.is_absolute():
        return []
    folder, start = (typed, "") if text.endswith("/") else (typed.parent, typed.name)
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if not name.startswith(start) or (name.startswith(".") and not start.startswith(".")):
                    continue
                if entry.is_dir():
                    found.append(f"{folder / name}/")
                elif not folders_only:
                    found.append(str(folder / name))
    except OSError:
        return []
    return sorted(found)[:most]
