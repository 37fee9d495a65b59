"""The command `mosaic`: one lazy group. A command's module is loaded only when that command is called.

Errors MOSAIC raises on purpose become one sentence on stderr and an exit code: 0 went well, 1 failed, 2 asked
wrongly. Set MOSAIC_DEBUG=1 to see the traceback instead.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

from mosaic import __version__
from mosaic.errors import MosaicError

if sys.version_info >= (3, 11) and "typing_extensions" not in sys.modules:
    # msgspec takes some names from typing_extensions when it is there, and the same ones from typing when it
    # is not. Loading it costs more than all of msgspec, and this process needs nothing else of it.
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    import msgspec  # noqa: F401

    del sys.modules["typing_extensions"]

__all__ = ["COMMANDS", "FORMER_NAMES", "main", "mosaic"]

COMMANDS = {
    "run": ("run", "Run a command and record everything it does."),
    "train": ("train", "Train with a runner."),
    "play": ("play", "Play: an operator in every seat of an environment."),
    "take": ("take", "Take over a seat of a running session, on this terminal."),
    "deploy": ("deploy", "Put another operator into a seat of a running session."),
    "versus": ("versus", "Compare operators on shared seeds."),
    "league": ("league", "Rate operators by games against each other."),
    "operators": ("operators", "List and show operators: who can decide in a session."),
    "runners": ("runners", "List, show, install and remove runners."),
    "ls": ("ls", "List the runs."),
    "show": ("show", "Show everything about one run."),
    "episodes": ("episodes", "List the episodes of a run."),
    "steps": ("steps", "List the steps of one episode."),
    "metrics": ("metrics", "List the metrics a run logged."),
    "events": ("events", "List what a run recorded besides steps, episodes, metrics and checkpoints."),
    "checkpoints": ("checkpoints", "List the checkpoints of a run, or of all runs."),
    "eval": ("eval", "Evaluate a checkpoint, as a run like any other."),
    "trust": ("trust", "Trust a checkpoint that does not come from a run of yours."),
    "watch": ("watch", "Watch the live frames of a run."),
    "logs": ("logs", "Print what a run wrote to its terminal."),
    "stop": ("stop", "Stop a run and everything it started."),
    "pause": ("pause", "Pause a run where it stands."),
    "unpause": ("pause", "Let a paused run go on."),
    "rm": ("rm", "Delete runs for good."),
    "verify": ("verify", "Check that journal and store of a run agree."),
    "rebuild": ("rebuild", "Build the store of a run anew from its journal."),
    "replay": ("replay", "Simulate recorded episodes again, and compare or draw them."),
    "branch": ("branch", "Continue a recorded episode from one of its steps, as a new run."),
    "export": ("export", "Write a run's data as CSV, JSON lines, Parquet or TensorBoard files."),
    "pack": ("pack", "Put a whole run into one file."),
    "unpack": ("unpack", "Bring a packed run in."),
    "ui": ("ui", "Open the desktop."),
    "daemon": ("daemon", "Start, stop or ask the daemon."),
    "doctor": ("doctor", "Check this machine and say how to fix what is wrong."),
    "version": ("version", "Print the version."),
}
"""Each command: the module of `mosaic.cli` that holds it, and its line in the help."""

FORMER_NAMES = {"resume": "unpause"}
"""What commands were called once. They still work; the help lists only today's names. To resume now means to
continue a training from a checkpoint: `mosaic train --resume`."""

_INTERRUPTED = 130


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"mosaic.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] in FORMER_NAMES:
            args = [FORMER_NAMES[args[0]], *args[1:]]
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else "See: mosaic --help"
            raise click.UsageError(f"there is no command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(
    cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True
)
@click.version_option(__version__, message="%(version)s")
@click.pass_context
def mosaic(context: click.Context) -> int | None:
    """Launch, watch, record and query training runs of any framework.

    RUN is a run's id, a unique prefix of it, its name, or 'last'.

    \b
    Example:
      mosaic run -- python train.py
      mosaic episodes last

    Without a command, the desktop is opened where there is a display.
    """
    if context.invoked_subcommand is not None:
        return None
    from mosaic.cli.ui import has_display, open_desktop

    if has_display(os.environ):
        return open_desktop()
    click.echo(context.get_help())
    return 0


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(
                errors="backslashreplace"
            )  # a terminal that cannot show a letter still shows the line
    sys.exit(_guarded(args))


def _guarded(args: list[str] | None) -> int:
    try:
        answer = mosaic.main(args, prog_name="mosaic", standalone_mode=False)
        sys.stdout.flush()
    except MosaicError as error:
        if os.environ.get("MOSAIC_DEBUG"):
            raise
        return _say(str(error), error.exit_code)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _say("interrupted", _INTERRUPTED)
    except BrokenPipeError:
        from mosaic.cli.output import abandon_stdout

        return abandon_stdout()
    except OSError as error:
        if os.environ.get("MOSAIC_DEBUG"):
            raise
        return _say(_refused(error), 1)
    return answer if isinstance(answer, int) else 0


def _refused(error: OSError) -> str:
    from mosaic.text import os_words

    try:
        os.getcwd()  # noqa: PTH109  (only whether there is one)
    except FileNotFoundError:
        return "the folder you are in was deleted. Go to one that is there, for example: cd ~"
    return os_words(error)


def _say(text: str, code: int) -> int:
    from mosaic.cli.output import note

    note(f"mosaic: {text}")
    return code
