"""`mosaic doctor`: look at this machine, and say what is wrong and how to put it right."""

from __future__ import annotations

import sys

import click

from mosaic.cli import options
from mosaic.cli.output import paint, write_json
from mosaic.cli.text import visible
from mosaic.paths import data_root

__all__ = ["doctor_command"]

_COLOURS = {"ok": "32", "warn": "33", "fail": "31;1"}


@click.command("doctor")
@options.json_option
def doctor_command(*, as_json: bool) -> int:
    """Check this machine and say how to fix what is wrong.

    \b
    Example:
      mosaic doctor
    """
    from mosaic.cli.checks import run_checks

    checks = run_checks(data_root())
    failed = any(check.status == "fail" for check in checks)
    if as_json:
        write_json({"ok": not failed, "checks": checks})
        return int(failed)
    for check in checks:
        mark = paint(_COLOURS[check.status], f"{check.status:<4}")
        sys.stdout.write(f"{mark}  {check.name:<13}  {visible(check.text)}\n")
        if check.fix:
            sys.stdout.write(f"{'':<19}  fix: {visible(check.fix)}\n")
    return int(failed)
