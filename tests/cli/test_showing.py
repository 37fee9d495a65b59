"""Which options of `mosaic replay` go together; what they do is in test_replay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from mosaic.cli.showing import Showing, showing_of

OUT = Path("out")


def asked(*, view: str | None = None, **options: Any) -> Showing | None:
    files = {kind: options.pop(kind, None) for kind in ("mp4", "gif", "png", "svg")}
    plain = {"step": None, "first": 0, "last": None, "fps": None, "theme": None}
    return showing_of(files, view=view, **{**plain, **options})


def test_nothing_asked_for_is_nothing_to_show() -> None:
    assert asked() is None


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"mp4": OUT}, "mp4"),
        ({"gif": OUT, "view": "scene", "theme": "dark"}, "gif"),
        ({"png": OUT, "step": 0}, "png"),
        ({"svg": OUT, "theme": "light", "first": 2, "last": 3}, "svg"),
        ({"svg": OUT, "view": "scene", "step": 4}, "svg"),
        ({"view": "text", "step": 4}, "text"),
        ({"view": "text", "fps": 2.0, "first": 1}, "text"),
    ],
)
def test_what_goes_together_is_shown(options: dict[str, Any], kind: str) -> None:
    found = asked(**options)
    assert found is not None
    assert found.kind == kind
    assert found.target == (None if kind == "text" else OUT)
    assert found.dark == (options.get("theme") == "dark")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"mp4": OUT, "svg": OUT}, "choose one of"),
        ({"first": 2}, "are for"),
        ({"step": 0}, "are for"),
        ({"theme": "dark"}, "are for"),
        ({"view": "text", "mp4": OUT}, "with --mp4 take --view scene"),
        ({"view": "scene"}, "in a terminal take --view text"),
        ({"view": "frame"}, "in a terminal take --view text"),
        ({"view": "frame", "svg": OUT}, "for frames take --png"),
        ({"png": OUT, "step": 1, "last": 2}, "choose --step, or --from and --to"),
        ({"mp4": OUT, "step": 1}, "--step is for --png, --svg and --view text"),
        ({"mp4": OUT, "theme": "dark"}, "--theme is for scenes"),
        ({"view": "text", "theme": "dark"}, "--theme is for scenes"),
    ],
)
def test_what_does_not_go_together_is_refused_with_a_way_out(options: dict[str, Any], said: str) -> None:
    with pytest.raises(click.UsageError, match=said):
        asked(**options)
