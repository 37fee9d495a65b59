"""What a run's files say about it. Never on the window's thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.errors import StoreError
from mosaic.runs.folder import read_manifest
from mosaic.store.configuration import glance_config
from mosaic.store.glance import glance
from mosaic.ui.details.model import Facts

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

__all__ = ["read_facts"]


def read_facts(folder: RunFolder) -> Facts:
    """The manifest, and what the store holds; nothing of a run whose manifest cannot be read."""
    try:
        manifest = read_manifest(folder)
    except StoreError:
        return Facts()
    return Facts(manifest=manifest, summary=glance(folder), config=glance_config(folder))
