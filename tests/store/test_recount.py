"""The recount keeps its own list of what events look like: it must not fall behind the protocol."""

from __future__ import annotations

import msgspec
import pytest

from mosaic.protocol.events import EVENT_TYPES
from mosaic.store import recount


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_it_knows_every_field_of_every_event(kind: str) -> None:
    fields = {field.encode_name: None for field in msgspec.structs.fields(EVENT_TYPES[kind])}
    assert not recount.has_unknown_fields(kind, {"type": kind, **fields})
