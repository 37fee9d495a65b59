"""`mosaic runners`: which there are, whether they can be used, what they offer; install and remove."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import msgspec

from mosaic.cli import options
from mosaic.cli.output import cells, note, paint, plain, write_json
from mosaic.cli.table import Column, render
from mosaic.errors import UsageError
from mosaic.settings import load
from mosaic.text import visible

if TYPE_CHECKING:
    from mosaic.paths import DataRoot
    from mosaic.protocol.cards import RunnerCard
    from mosaic.runners.registry import Listed

__all__ = ["runners_command"]

_COLUMNS = (
    Column("RUNNER"),
    Column("STATE"),
    Column("ALGORITHMS", flexible=True, least=12),
    Column("WHAT TO DO", flexible=True, least=20),
)
_WORDS = {"ready": "ready", "builtin": "ready", "missing": "not installed", "broken": "broken"}
_COLOURS = {"ready": "32", "not installed": "33", "broken": "31;1"}


class _Row(msgspec.Struct, kw_only=True):
    id: str
    state: str
    title: str = ""
    algorithms: list[str] = []
    python: str | None = None
    text: str = ""
    remedy: str = ""
    package: str = ""


@click.group("runners", invoke_without_command=True)
@click.pass_context
def runners_command(ctx: click.Context, /) -> None:
    """List, show, install and remove runners.

    A runner trains with one framework. Each has its own environment, so they cannot disturb each other.

    \b
    Example:
      mosaic runners
      mosaic runners install sb3
    """
    if ctx.invoked_subcommand is None:
        _list(options.root(), as_json=False)


@runners_command.command("ls")
@options.json_option
def ls_command(*, as_json: bool) -> None:
    """List the runners, and how to get those that are missing.

    \b
    Example:
      mosaic runners ls --json
    """
    _list(options.root(), as_json=as_json)


@runners_command.command("show")
@click.argument("name", metavar="NAME[/ALGO]")
@options.of_job("train", only=("checkout",))
@options.json_option
def show_command(*, name: str, checkout: str, as_json: bool) -> None:
    """Show what a runner offers: algorithms, parameters, capabilities.

    \b
    Example:
      mosaic runners show sb3
      mosaic runners show sb3/ppo
    """
    from mosaic.runners import environments, registry

    root = options.root()
    runner_id, _, algorithm_id = name.partition("/")
    settings = load(root).with_checkout(runner_id, checkout)
    runner = registry.find(runner_id, settings)
    card = runner.card
    if algorithm_id:
        from mosaic.cli.jobs import write_parameters

        algorithm = registry.algorithm(runner, algorithm_id)
        if as_json:
            write_json(plain(algorithm))
        else:
            write_parameters(algorithm)
        return
    ready = environments.readiness(root, card, settings=settings)
    if as_json:
        write_json({**plain(card), "readiness": plain(ready)})
        return
    _describe(card)
    sys.stdout.write(f"{visible(_WORDS[ready.state])}: {visible(ready.text)}\n")
    if ready.remedy:
        sys.stdout.write(f"  fix: {visible(ready.remedy)}\n")


@runners_command.command("install")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option("--force", is_flag=True, help="Build it anew even when it is there.")
@click.option("--with", "extras", multiple=True, metavar="PACKAGE", help="Add a package; may be repeated.")
def install_command(*, names: tuple[str, ...], force: bool, extras: tuple[str, ...]) -> None:
    """Install runners: build their environments and check them.

    Interrupted, it can be called again. Downloads are kept by the installer and not repeated.

    \b
    Example:
      mosaic runners install sb3 sbx
      mosaic runners install sb3 --with "gymnasium[box2d]" --with ale-py
    """
    from mosaic.cli.progress import phases
    from mosaic.runners import building, environments, registry

    root = options.root()
    found = [registry.find(name).card for name in names]
    for card in found:
        if not card.requirements:
            ready = environments.readiness(root, card)
            if not ready.usable:
                raise UsageError(f"{card.id}: {ready.text}. {ready.remedy}")
            click.echo(f"{card.id}: nothing to install, it {ready.text}")
            continue
        with phases(card.id) as progress:
            python = building.build(root, card, progress=progress, force=force, extras=extras)
        click.echo(f"{card.id}: ready ({python})")


@runners_command.command("rm")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
def rm_command(*, names: tuple[str, ...]) -> None:
    """Remove the environments of runners. Runs stay; replaying them may need the environment again.

    \b
    Example:
      mosaic runners rm sbx
    """
    from mosaic.runners import environments, registry

    root = options.root()
    for card in [registry.find(name).card for name in names]:
        removed = environments.remove(root, card)
        for folder in removed:
            click.echo(f"removed {folder}")
        if not removed:
            click.echo(f"{card.id} has no environment to remove")


def _list(root: DataRoot, *, as_json: bool) -> None:
    from mosaic.runners import registry

    settings = load(root)
    rows = [_row(root, one) for one in registry.listed(settings)]
    if as_json:
        write_json(rows)
        return
    if not rows:
        note("No runner is installed. Install MOSAIC anew: its own runners are missing.")
        return
    texts = [
        [row.id, row.state, ", ".join(row.algorithms) or "-", row.remedy or ("" if row.python else row.text)]
        for row in rows
    ]
    lines = render(_COLUMNS, texts, cells=cells(), style=_style)
    sys.stdout.write("\n".join(lines) + "\n")
    for row in rows:
        if row.state == "broken":
            note(f"{row.id}: {row.text}")


def _row(root: DataRoot, one: Listed) -> _Row:
    from mosaic.runners import environments
    from mosaic.runners.runner import Discovering

    if one.runner is None:
        remedy = f"reinstall or remove the package {one.package}" if one.package else ""
        return _Row(id=one.id, state="broken", text=one.problem, remedy=remedy, package=one.package)
    card = one.runner.card
    ready = environments.readiness(root, card)
    if not card.algorithms and isinstance(one.runner, Discovering):
        where = f"name a checkout: --checkout PATH, or {card.id} under [checkouts] in settings.toml"
        remedy = f"{ready.remedy}; then {where}" if ready.remedy else where
        ready = msgspec.structs.replace(ready, remedy=remedy)
    return _Row(
        id=one.id,
        state=_WORDS[ready.state],
        title=card.title,
        algorithms=[algorithm.id for algorithm in card.algorithms],
        python=ready.python,
        text=ready.text,
        remedy=ready.remedy,
        package=one.package,
    )


def _style(title: str, text: str, padded: str) -> str:
    return paint(_COLOURS[text], padded) if title == "STATE" and text in _COLOURS else padded


def _describe(card: RunnerCard) -> None:
    lines = [f"{card.id}: {card.title}"]
    lines += [card.help] if card.help else []
    can = card.capabilities
    able = {
        "checkpoints": can.supports_checkpoint,
        "resume": can.supports_resume,
        "warm start": can.supports_warmstart,
        "evaluation": can.supports_eval,
        "sessions": can.supports_play,
        "several environments": can.supports_vector,
        "pause": can.supports_pause,
        "several agents": can.multi_agent,
        "beliefs": can.beliefs,
    }
    lines.append("can: " + (", ".join(name for name, yes in able.items() if yes) or "train"))
    lines.append(f"gpu: {can.gpu}")
    lines += [f"needs: {', '.join(can.services)}"] if can.services else []
    lines += [f"requirements: {', '.join(card.requirements)}"] if card.requirements else []
    for algorithm in card.algorithms:
        actions, seen = "/".join(algorithm.actions) or "any", "/".join(algorithm.observations) or "any"
        spaces = f"actions {actions}, observations {seen}"
        lines.append(f"  {card.id}/{algorithm.id:<16} {len(algorithm.parameters)} parameters; {spaces}")
        lines += [f"    {algorithm.help}"] if algorithm.help else []
    sys.stdout.write("".join(f"{visible(line)}\n" for line in lines))
