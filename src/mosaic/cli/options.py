"""What the commands share: the RUN argument, --json, the options made from a job's fields, finding runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from mosaic.app import reading, run_index
from mosaic.cli.output import note
from mosaic.cli.progress import Passing
from mosaic.paths import data_root
from mosaic.protocol.counting import ROLES, UNKNOWN
from mosaic_worker.common import words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from mosaic.paths import DataRoot
    from mosaic.protocol.runs import RunRow
    from mosaic.store.reader import StoreReader
    from mosaic_worker.common.words import Field

__all__ = [
    "WithRest",
    "ask",
    "episode_key",
    "find",
    "json_option",
    "of_job",
    "rest",
    "role_option",
    "root",
    "run_argument",
    "wait_option",
]

_REST = "mosaic.rest"
_INDEX_DIGITS = 19  # and more: no index

T = TypeVar("T")
F = TypeVar("F", bound="Callable[..., Any]")

run_argument = click.argument("run", metavar="RUN")
json_option = click.option("--json", "as_json", is_flag=True, help="For programs: JSON instead of a table.")
wait_option = click.option(
    "--wait",
    "wait_secs",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    help="Seconds to wait for an ended run's last events.",
)


def role_option(about: str) -> Callable[[F], F]:
    """`--role`: what episodes were played for."""
    return click.option("--role", type=click.Choice([*ROLES, UNKNOWN]), help=about)


class WithRest(click.Command):
    """Keeps apart what stands after `--`, which click would mix with the other words."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What stands before `--` is click's."""
        if "--" in args:
            at = args.index("--")
            args, ctx.meta[_REST] = args[:at], args[at + 1 :]
        return super().parse_args(ctx, args)


def rest(ctx: click.Context) -> list[str] | None:
    """What stood after `--`; None when there was no `--`."""
    found: list[str] | None = ctx.meta.get(_REST)
    return found


def of_job(
    kind: str, *, only: Collection[str] = (), changes: Mapping[str, Mapping[str, Any]] | None = None
) -> Callable[[F], F]:
    """An option for each field of a job that people may fill in where they `train` or `eval`.

    Args:
        kind: which of the two.
        only: the fields meant, when not all are.
        changes: what differs here, as keyword arguments of `click.option`, by field.
    """

    def add(command: F) -> F:
        for field in reversed(words.asked(kind)):
            if not only or field.name in only:
                command = _option(field, (changes or {}).get(field.name, {}))(command)
        return command

    return add


def _option(field: Field, changes: Mapping[str, Any]) -> Callable[[F], F]:
    names = [field.flag, *([field.short] if field.short else []), field.name]
    how: dict[str, Any] = {
        "default": field.default,
        "help": field.help,
        "metavar": field.metavar or None,
        "show_default": field.default not in (None, ""),
    }
    if field.type is int:
        how["type"] = click.IntRange(min=field.minimum)
    return click.option(*names, **{**how, **changes})


def root() -> DataRoot:
    """The data root in force, checked."""
    return run_index.checked(data_root())


def episode_key(text: str) -> int | str:
    """An index, or an id: whatever is not a number as MOSAIC writes it, or is too long for an index."""
    plain = text.isascii() and text.isdigit() and len(text) < _INDEX_DIGITS
    return int(text) if plain and str(int(text)) == text else text


def find(text: str) -> tuple[DataRoot, RunRow]:
    """The data root, and the run a text means in it."""
    home = root()
    return home, run_index.find(home, text)


def ask(home: DataRoot, run: RunRow, question: Callable[[StoreReader], T], *, wait_secs: float = 60.0) -> T:
    """Put a question to a run's store; what it had to wait for goes to stderr."""
    with Passing() as passing:
        return reading.ask(
            home,
            run.run_id,
            question,
            timeout_secs=wait_secs,
            progress=passing,
            say=lambda text: note(f"mosaic: {text}"),
        )
