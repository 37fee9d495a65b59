"""What the commands share: the RUN argument, the --json option, and finding what they name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from mosaic.app import reading, run_index
from mosaic.cli.output import note
from mosaic.cli.progress import Passing
from mosaic.paths import data_root

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from mosaic.protocol.runs import RunRow
    from mosaic.store.reader import StoreReader

__all__ = ["WithRest", "ask", "find", "json_option", "rest", "root", "run_argument", "wait_option"]

_REST = "mosaic.rest"

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


def root() -> DataRoot:
    """The data root in force, checked."""
    return run_index.checked(data_root())


def find(text: str) -> tuple[DataRoot, RunRow]:
    """The data root, and the run a text means in it."""
    place = root()
    return place, run_index.find(place, text)


def ask(place: DataRoot, run: RunRow, question: Callable[[StoreReader], T], *, wait_secs: float = 60.0) -> T:
    """Put a question to a run's store; what it had to wait for goes to stderr."""
    with Passing() as passing:
        return reading.ask(
            place,
            run.run_id,
            question,
            timeout_secs=wait_secs,
            progress=passing,
            say=lambda text: note(f"mosaic: {text}"),
        )
