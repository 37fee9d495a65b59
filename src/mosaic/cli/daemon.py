"""`mosaic daemon start|stop|status`."""

from __future__ import annotations

import time

import click

from mosaic.cli import options
from mosaic.cli.output import write_json
from mosaic.paths import data_root
from mosaic.rpc.launch import connect, daemon_running, wait_until_gone
from mosaic.text import age

__all__ = ["daemon_command"]


@click.group("daemon")
def daemon_command() -> None:
    """Start, stop or ask the daemon.

    It starts by itself when it is needed. Stopping it stops no run.

    \b
    Example:
      mosaic daemon status
    """


@daemon_command.command("start")
def start_command() -> None:
    """Start the daemon, unless it runs.

    \b
    Example:
      mosaic daemon start
    """
    root = data_root()
    ran = daemon_running(root)
    with connect(root) as client:
        status = client.status()
    click.echo(f"the daemon {'runs already' if ran else 'runs'} (pid {status.pid}, {root.path})")


@daemon_command.command("stop")
def stop_command() -> None:
    """Stop the daemon. Runs go on.

    \b
    Example:
      mosaic daemon stop
    """
    root = options.root()
    if not daemon_running(root):
        click.echo(f"no daemon runs for {root.path}")
        return
    with connect(root, start=False, same_version=False) as client:
        client.shutdown()
    wait_until_gone(root, wait_secs=30)
    click.echo("the daemon has stopped; runs go on")


@daemon_command.command("status")
@options.json_option
def status_command(*, as_json: bool) -> int:
    """Show whether the daemon runs; the exit code is 1 when it does not.

    \b
    Example:
      mosaic daemon status --json
    """
    root = options.root()
    if not daemon_running(root):
        if as_json:
            write_json({"running": False, "home": str(root.path)})
        else:
            click.echo(f"no daemon runs for {root.path}. Start it with: mosaic daemon start")
        return 1
    with connect(root, start=False, same_version=False) as client:
        status = client.status()
    if as_json:
        from mosaic.cli.output import plain

        write_json({"running": True, **plain(status)})
        return 0
    click.echo(
        f"running: pid {status.pid}, version {status.version}, started {age(status.started, now=time.time())}"
    )
    click.echo(f"home: {status.home}")
    listed = ", ".join(f"{number} {state}" for state, number in sorted(status.runs.items())) or "none"
    click.echo(f"runs: {listed}")
    if status.faults:
        click.echo(f"faults: {status.faults}, the last: {status.last_fault} (see {root.daemon_log})")
    return 0
