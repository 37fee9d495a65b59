"""A person's own keys, kept per environment in the data root: `keys/<env id>.json`.

A file that is not a key map is an error that says so; one with actions the environment does not have is never
written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.app.keys import problems
from mosaic.errors import UsageError
from mosaic.protocol.hands import Binding, KeyMap
from mosaic.runs.files import make_private, read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mosaic.paths import DataRoot

__all__ = ["YOURS", "file_of", "forget", "load", "save"]

YOURS = "yours"
"""The `source` of a key map that was read from here."""


class _Kept(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    bindings: list[Binding] = []
    rest: Any = None


def file_of(root: DataRoot, env_id: str) -> Path:
    """Where the keys of an environment are kept."""
    return root.path / "keys" / f"{env_id.replace('/', '__')}.json"


def load(root: DataRoot, env_id: str) -> KeyMap | None:
    """The keys somebody chose for an environment; None when nobody did.

    Raises:
        UsageError: the file is not a key map; says why and what to do.
    """
    path = file_of(root, env_id)
    try:
        kept = read_json(path, _Kept)
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(f"{path} is not a key map: {error}. Correct it, or remove it.") from None
    return None if kept is None else KeyMap(bindings=kept.bindings, rest=kept.rest, source=YOURS)


def save(root: DataRoot, env_id: str, keys: KeyMap, *, space: Mapping[str, Any] | None) -> KeyMap:
    """Keep these keys for an environment. The key map as it will be offered from now on.

    Raises:
        UsageError: a key means something the environment cannot do; says which. Nothing was written.
    """
    wrong = problems(keys, space)
    if wrong:
        raise UsageError(wrong[0])
    path = file_of(root, env_id)
    make_private(root.path)
    make_private(path.parent)
    write_json(path, _Kept(bindings=keys.bindings, rest=keys.rest), synced=False)
    return KeyMap(bindings=keys.bindings, rest=keys.rest, source=YOURS)


def forget(root: DataRoot, env_id: str) -> None:
    """Go back to the keys the environment comes with."""
    file_of(root, env_id).unlink(missing_ok=True)
