"""`mosaic operators ls | show`: who can sit in a seat of a session."""

from __future__ import annotations

import sys

import click

from mosaic.cli import options
from mosaic.cli.output import cells, plain, write_json
from mosaic.cli.table import Column, render
from mosaic.text import visible

__all__ = ["operators_command"]

_COLUMNS = [Column("OPERATOR"), Column("WRITTEN"), Column("WHAT", flexible=True)]


@click.group("operators")
def operators_command() -> None:
    """List and show operators: who can decide in a session.

    \b
    Example:
      mosaic operators ls
      mosaic operators show python
    """


@operators_command.command("ls")
@options.json_option
def ls_command(*, as_json: bool) -> int:
    """List the operators, and how they are written.

    \b
    Example:
      mosaic operators ls
    """
    from mosaic.operators import registry

    every = registry.listed()
    if as_json:
        write_json(
            [
                {
                    "id": one.id,
                    "package": one.package,
                    "problem": one.problem,
                    "card": plain(one.operator.card) if one.operator is not None else None,
                }
                for one in every
            ]
        )
        return 0
    rows = [
        [one.id, "broken", one.problem]
        if one.operator is None
        else [one.id, one.operator.card.form, one.operator.card.title]
        for one in every
    ]
    sys.stdout.write("\n".join(render(_COLUMNS, rows, cells=cells())) + "\n")
    return 0


@operators_command.command("show")
@click.argument("name", metavar="OPERATOR")
@options.json_option
def show_command(*, name: str, as_json: bool) -> int:
    """Show one operator: how it is written, and its parameters.

    \b
    Example:
      mosaic operators show checkpoint
    """
    from mosaic.operators import registry
    from mosaic.runners.parameters import bounds

    card = registry.find(name).card
    if as_json:
        write_json(plain(card))
        return 0
    lines = [f"{card.id}: {card.title}", f"  written   {card.form}"]
    if card.help:
        lines.append(f"  {card.help}")
    for parameter in card.parameters:
        default = str(parameter.default).lower() if parameter.type == "bool" else parameter.default
        lines.append(f"  op.{parameter.name}   {parameter.help} ({bounds(parameter)}; by default {default})")
    if card.example:
        lines += ["", f"  {card.example}"]
    sys.stdout.write("\n".join(visible(line) for line in lines) + "\n")
    return 0
