from __future__ import annotations

import json
from pathlib import Path

from mosaic.protocol.events import EVENT_TYPES
from mosaic.protocol.schema import event_schema

DOCS = Path(__file__).parents[2] / "docs"


def test_the_published_schema_is_what_the_types_generate() -> None:
    assert json.loads((DOCS / "events.schema.json").read_text()) == event_schema()


def test_every_event_type_is_in_the_schema_and_has_its_heading_in_the_docs() -> None:
    described = set(event_schema()["$defs"])
    headings = {
        line[3:].strip() for line in (DOCS / "events.md").read_text().splitlines() if line[:3] == "## "
    }
    for kind in EVENT_TYPES:
        assert kind.title() in described
        assert f"`{kind}`" in headings
