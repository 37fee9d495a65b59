from __future__ import annotations

import re
from pathlib import Path

from mosaic.runners import registry
from mosaic.settings import Settings

DOCS = Path(__file__).parents[2] / "docs" / "runners.md"


def test_every_runner_of_ours_has_its_heading_in_the_documentation() -> None:
    ours = {one.id for one in registry.listed(Settings()) if one.package == "mosaic-workbench"}
    assert ours
    assert ours <= set(re.findall(r"^## `(.+)`$", DOCS.read_text(), re.MULTILINE))
