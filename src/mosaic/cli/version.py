"""`mosaic version`: which one this is."""

from __future__ import annotations

import sys

import click

from mosaic import __version__

__all__ = ["version_command"]


@click.command("version")
def version_command() -> None:
    """Print the version.

    \b
    Example:
      mosaic version
    """
    sys.stdout.write(f"mosaic {__version__}\n")
