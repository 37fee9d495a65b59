r"""`mosaic logs RUN`: what the run wrote, with control characters made visible (`\x1b`), never obeyed."""

from __future__ import annotations

import codecs
import sys
import time

import click

from mosaic.app.reading import has_ended
from mosaic.cli import options
from mosaic.cli.follow import Tail, last_lines
from mosaic.text import visible

__all__ = ["logs_command"]

_POLL_SECS = 0.1


@click.command("logs")
@options.run_argument
@click.option("-f", "--follow", is_flag=True, help="Go on as it writes more, until it has ended.")
@click.option("--stderr", is_flag=True, help="Its standard error instead of its standard output.")
@click.option("-n", "most", type=click.IntRange(min=0), help="Only the last N lines.")
def logs_command(*, run: str, follow: bool, stderr: bool, most: int | None) -> None:
    """Print what a run wrote to its terminal.

    \b
    Example:
      mosaic logs last -f
      mosaic logs last --stderr -n 20
    """
    root, row = options.find(run)
    folder = root.run(row.run_id)
    path = folder.stderr if stderr else folder.stdout
    text = _Printer()
    offset = 0
    if most is not None:
        data, offset = last_lines(path, most)
        text.write(data)
    with Tail(path, offset=offset) as tail:
        while True:
            ended = has_ended(
                root, row.run_id
            )  # SYNC: asked before the read, so nothing comes after the last read
            while data := tail.read():
                text.write(data)
            sys.stdout.flush()
            if ended or not follow:
                break
            time.sleep(_POLL_SECS)
    text.close()


class _Printer:
    """Bytes to harmless text, across chunk borders; a carriage return begins a new line here."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._last = "\n"

    def write(self, data: bytes, *, final: bool = False) -> None:
        text = self._decoder.decode(data, final)
        if not text:
            return
        if self._last == "\r" and text.startswith("\n"):
            text = text[1:]
            self._last = "\n"
        if not text:
            return
        sys.stdout.write(visible(text.replace("\r\n", "\n").replace("\r", "\n"), keep="\n\t"))
        self._last = text[-1]

    def close(self) -> None:
        self.write(b"", final=True)
        if self._last not in "\r\n":
            sys.stdout.write("\n")
