"""The way in: one data root, its runs, and starting new ones."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mosaic.paths import DataRoot, data_root
from mosaic.sdk import catalog, reading
from mosaic.sdk.run import Run
from mosaic.sdk.submitting import make_spec, sendable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Connection", "connect"]


def connect(home: str | Path | None = None) -> Connection:
    """The runs of a data root. Nothing is started before it is needed.

    Args:
        home: The data root; by default `MOSAIC_HOME`, else the platform's place for user data.

    Raises:
        DataRootError: the data root is open to others, somebody else's, or not writable.

    Example:
        >>> import mosaic
        >>> runs = mosaic.connect()
    """
    root = data_root() if home is None else DataRoot(Path(home).expanduser().absolute())
    return Connection(catalog.checked(root))


class Connection:
    """One data root. Made by `mosaic.connect`.

    It holds nothing open: reading goes to files, and the daemon is asked call by call.
    """

    def __init__(self, root: DataRoot) -> None:
        self._root = root

    @property
    def home(self) -> Path:
        """Where the data root lies."""
        return self._root.path

    def run(
        self,
        command: Sequence[str],
        *,
        name: str = "",
        tags: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Run:
        """Start a command as a recorded run, and return at once.

        Args:
            command: The program and its arguments.
            name: A name to find it by.
            tags: Labels.
            cwd: Where it runs; by default here.
            env: Its whole environment; by default ours. Kept in memory only; what is not UTF-8 is left out.

        Raises:
            UsageError: there is no such program or folder, or the name cannot be one.
            DaemonError: the daemon cannot be reached or started.

        Example:
            >>> run = mosaic.connect().run(["python", "train.py"], name="first")
            >>> run.wait()
        """
        spec = make_spec(command, name=name, tags=tags, cwd=cwd, env=env)
        with reading.daemon(self._root) as client:
            client.submit(spec, env=sendable(os.environ if env is None else env)[0])
        return Run(self._root, spec.run_id)

    def runs(self) -> list[Run]:
        """Every run, newest first.

        Example:
            >>> [run.name for run in mosaic.connect().runs() if run.state == "failed"]
        """
        return [Run(self._root, row.run_id) for row in catalog.rows(self._root)]

    def get(self, text: str) -> Run:
        """The run with this id, unique prefix of one, or name; or the newest, for `last`.

        Raises:
            RunNotFoundError: there is none.
            AmbiguousRunError: there are several.

        Example:
            >>> mosaic.connect().get("last").episodes()
        """
        return Run(self._root, catalog.find(self._root, text).run_id)

    def __repr__(self) -> str:
        return f"Connection(home={str(self.home)!r})"
