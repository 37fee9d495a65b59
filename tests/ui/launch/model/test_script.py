"""The form for a command of the user's own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mosaic.errors import UsageError
from mosaic.ui.launch.model.script import script_form, script_spec


def test_what_is_typed_becomes_a_run(tmp_path: Path) -> None:
    form = script_form(home=tmp_path)
    form.set("command", f"{sys.executable} -c 'print(1)'")
    form.set("name", "mine")
    form.set("tags", "a=b")
    spec = script_spec(form)
    assert spec.command == [sys.executable, "-c", "print(1)"]
    assert (spec.cwd, spec.name, spec.tags, spec.job) == (str(tmp_path), "mine", {"a": "b"}, None)


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("command", "", "Type the command"),
        ("command", "'open", "Command: this is not a command line"),
        ("command", "no-such-program-here", "no command"),
        ("cwd", "/no/such/folder", "Folder: there is no folder"),
        ("cwd", "relative", "from / on"),
        ("tags", "x", "Tags: a tag is key=value"),
    ],
)
def test_what_cannot_be_run_says_why(tmp_path: Path, field: str, text: str, said: str) -> None:
    form = script_form(home=tmp_path)
    form.set("command", sys.executable)
    form.set(field, text)
    with pytest.raises(UsageError, match=said):
        script_spec(form)
