"""`mosaic doctor`: look at this machine, and say what is wrong and how to put it right."""

from __future__ import annotations

import sys

import click

from mosaic.cli import options
from mosaic.cli.output import paint, write_json
from mosaic.paths import data_root
from mosaic.text import visible

__all__ = ["doctor_command"]

_COLOURS = {"ok": "32", "warn": "33", "fail": "31;1"}


@click.command("doctor")
@click.option("--try", "really", is_flag=True, help="Really try each runner that can be used; takes a while.")
@options.json_option
def doctor_command(*, really: bool, as_json: bool) -> int:
    """Check this machine and say how to fix what is wrong.

    \b
    Example:
      mosaic doctor --try
    """
    from mosaic.cli.checks import run_checks
    from mosaic.cli.runner_checks import runner_checks

    checks = run_checks(data_root()) + runner_checks(data_root(), really=really)
    failed = any(check.status == "fail" for check in checks)
    if as_json:
        write_json({"ok": not failed, "checks": checks})
        return int(failed)
    for check in checks:
        mark = paint(_COLOURS[check.status], f"{check.status:<4}")
        sys.stdout.write(f"{mark}  {check.name:<14}  {visible(check.text)}\n")
        if check.fix:
            sys.stdout.write(f"{'':<20}  fix: {visible(check.fix)}\n")
    return int(failed)
