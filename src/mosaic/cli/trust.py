"""`mosaic trust FILE`: allow exactly these bytes to be loaded, although loading them can run code."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mosaic.cli import options

__all__ = ["trust_command"]


@click.command("trust")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
def trust_command(*, file: Path) -> None:
    """Trust a checkpoint that does not come from a run of yours.

    Many frameworks save policies as pickles, and loading a pickle can run any code that is hidden in it. What
    is trusted is the file's SHA-256: another file, or this one after any change, is not. Nothing is loaded.

    \b
    Example:
      mosaic trust downloads/ppo.zip
      mosaic eval downloads/ppo.zip --runner sb3/ppo --env CartPole-v1
    """
    from mosaic.artifacts.trust import trust

    found = trust(options.root(), file)
    sys.stdout.write(f"{found.sha256}  {file}\n")
