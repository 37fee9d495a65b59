"""What a worker finds on its path: a copy of `mosaic_worker` and the hook that loads it.

A copy, named by its content, so that upgrading or removing MOSAIC never pulls the ground from under a live
worker. Refuses to change a copy once it is there.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import mosaic_worker
from mosaic.paths import DataRoot
from mosaic.runs.files import can_only_read, make_private, sync_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mosaic.paths import RunFolder
    from mosaic.protocol.runs import RunSpec
    from mosaic.settings import Settings

__all__ = ["PACKAGE", "install", "worker_environment"]

PACKAGE = Path(mosaic_worker.__file__).parent
"""The worker package as it is installed beside the workbench: to be copied or run, never imported here."""

_HOOK = Path("site") / "sitecustomize.py"


def install(root: DataRoot, *, package: Path | None = None) -> Path:
    """The folder to put on a worker's path, made now unless it is there already.

    Beside a data root that can only be read: in a folder of ours for what is temporary.
    """
    if can_only_read(root.path):
        root = DataRoot(Path(tempfile.gettempdir()) / f"mosaic-worker-{os.getuid()}")
    source = package or PACKAGE
    files = {path.relative_to(source): path.read_bytes() for path in sorted(source.rglob("*.py"))}
    digest = hashlib.sha256()
    for name, content in files.items():
        digest.update(b"%s\0%d\0%s" % (os.fsencode(name), len(content), content))
    make_private(root.path)
    make_private(root.worker_site)
    site = root.worker_site / digest.hexdigest()[:16]
    if site.is_dir():
        return site
    making = root.worker_site / f".making-{os.getpid()}-{site.name}"
    shutil.rmtree(making, ignore_errors=True)
    for name, content in files.items():
        _write(making / "mosaic_worker" / name, content)
    if _HOOK in files:
        _write(making / _HOOK.name, files[_HOOK])
    try:
        making.rename(site)  # SYNC: a worker sees the whole copy or none
    except OSError:
        shutil.rmtree(making, ignore_errors=True)
        if not site.is_dir():  # somebody else made the same one
            raise
    sync_folder(root.worker_site)
    return site


def worker_environment(
    given: Mapping[str, str], *, site: Path, folder: RunFolder, spec: RunSpec, settings: Settings
) -> dict[str, str]:
    """The user's variables with ours added. Theirs are kept: PYTHONPATH is only prefixed."""
    record = {
        "obs_inline_bytes": settings.obs_inline_bytes,
        "segment_mib": settings.segment_mib,
        "render_inject": settings.render_inject,
    }
    rest = given.get("PYTHONPATH", "")
    root = DataRoot(folder.path.parent.parent)
    return {
        "PYTHONUNBUFFERED": "1",
        **given,
        "PYTHONPATH": f"{site}{os.pathsep}{rest}" if rest else str(site),
        "MOSAIC_RUN_DIR": str(folder.path),
        "MOSAIC_RUN_ID": spec.run_id,
        "MOSAIC_SOCKET": str(root.socket),
        "MOSAIC_TOKEN_FILE": str(root.token),
        "MOSAIC_RECORD": msgspec.json.encode({**record, **spec.record}).decode(),
    }


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(content)
