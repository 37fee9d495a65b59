"""The form for a command of the user's own: what is typed, and what would be run. Qt-free; starts nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mosaic.app.submitting import make_spec
from mosaic.errors import UsageError
from mosaic.protocol.cards import Parameter
from mosaic.ui.models.basics import parse_name, parse_tags, parse_words
from mosaic.ui.models.form import Form

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mosaic.protocol.runs import RunSpec

__all__ = ["RECORDED", "script_form", "script_spec"]

RECORDED = (
    "The command runs as it is, with your environment variables. Recorded are its output and exit code, "
    "every episode and step of the Gymnasium and PettingZoo environments it makes, what it writes to "
    "TensorBoard, and the checkpoints it saves."
)

_LABELS = {"command": "Command", "cwd": "Folder", "name": "Name", "tags": "Tags"}


def script_form(*, home: Path) -> Form:
    """The form, with a folder to start in."""
    fields = [
        Parameter(name="command", type="str", default="", help="As in a shell: python train.py --seed 1"),
        Parameter(name="cwd", type="str", default=str(home), help="The folder it runs in."),
        Parameter(name="name", type="str", default="", help="A name to find the run by."),
        Parameter(name="tags", type="str", default="", help="Labels: key=value, separated by commas."),
    ]
    return Form(fields, convert=lambda parameter, text: _PARSE[parameter.name](text), labels=_LABELS)


def script_spec(form: Form) -> RunSpec:
    """The run that is typed.

    Raises:
        UsageError: something typed cannot be taken, or there is no such program.
    """
    for name, problem in form.problems.items():
        raise UsageError(f"{form.field(name).label}: {problem}")
    command = form.value("command")
    if not command:
        raise UsageError("Type the command to run.")
    return make_spec(command, name=form.value("name"), tags=form.value("tags"), cwd=form.value("cwd"))


def _parse_folder(text: str) -> Path:
    folder = Path(text.strip() or ".").expanduser()
    if not folder.is_absolute():
        raise UsageError(f"name the folder from / on or from ~ on, got {text!r}")
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}")
    return folder


_PARSE: dict[str, Callable[[str], Any]] = {
    "command": parse_words,
    "cwd": _parse_folder,
    "name": parse_name,
    "tags": parse_tags,
}
