"""What a run's files say about it. Never on the window's thread."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import msgspec

from mosaic.artifacts import checkpoints
from mosaic.errors import StoreError
from mosaic.runs.folder import read_manifest
from mosaic.store.configuration import glance_config
from mosaic.store.glance import glance
from mosaic.ui.details.model import Facts

if TYPE_CHECKING:
    from mosaic.paths import DataRoot

__all__ = ["read_facts"]


def read_facts(root: DataRoot, run_id: str) -> Facts:
    """The manifest, and what the store holds; nothing of a run whose manifest cannot be read."""
    folder = root.run(run_id)
    try:
        manifest = read_manifest(folder)
    except StoreError:
        return Facts()
    summary = glance(folder)
    if summary is not None and summary.checkpoints:
        # The store counts saves; people want to know what is there, as `mosaic checkpoints` lists it.
        with contextlib.suppress(StoreError):
            listed = checkpoints.standing(checkpoints.of_run(root, run_id))
            summary = msgspec.structs.replace(summary, checkpoints=len(listed))
    return Facts(manifest=manifest, summary=summary, config=glance_config(folder))
