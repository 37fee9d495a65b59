"""Opening a checkpoint: the bytes that were trusted are the bytes that are loaded.

The file is copied once into a private, nameless file while it is hashed; what is loaded is that copy, so
nobody can change it between the check and the load. Loads nothing itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from typing import IO, Iterator, Optional

from mosaic_worker.drivers.kit.command import Refused

__all__ = ["opened"]

_BLOCK = 1 << 20


@contextlib.contextmanager
def opened(path: str, *, sha256: Optional[str], pickled: bool) -> Iterator[IO[bytes]]:
    """A private copy of a checkpoint, open for reading at its start.

    Args:
        path: the file.
        sha256: what its bytes must hash to; None when nobody said.
        pickled: whether loading it can run code. Then somebody must have said.

    Raises:
        Refused: there is no such file, its bytes are not the expected ones, or nobody said which are.
    """
    if pickled and not sha256:
        raise Refused(
            f"loading {path} can run code that is hidden in it, and nobody said which bytes are trusted. "
            "Use `mosaic eval` or `mosaic train`, or add --sha256 HASH."
        )
    digest = hashlib.sha256()
    with tempfile.TemporaryFile(dir=os.environ.get("MOSAIC_RUN_DIR") or None) as copy:
        try:
            if not os.path.isfile(path):
                raise Refused(f"there is no file {path}")
            with open(path, "rb") as file:
                for block in iter(lambda: file.read(_BLOCK), b""):
                    digest.update(block)
                    copy.write(block)
        except OSError as error:
            raise Refused(f"cannot read the checkpoint {path}: {error.strerror}") from None
        if sha256 and digest.hexdigest() != sha256.lower():
            raise Refused(
                f"{path} is not the file that was asked for: its SHA-256 is {digest.hexdigest()}, "
                f"expected was {sha256}. It was changed or damaged; nothing of it was loaded."
            )
        copy.seek(0)
        yield copy
