"""Text over text on a real terminal, and one below the other elsewhere."""

from __future__ import annotations

import io
import os
import pty

import pytest

from mosaic.cli.redrawn import Redrawn

END = "<end>"


def shown_on_terminal(monkeypatch: pytest.MonkeyPatch, *texts: str) -> str:
    """What a terminal was sent."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("LINES", "4")
    ours, theirs = pty.openpty()
    try:
        with os.fdopen(theirs, "w") as stream:
            block = Redrawn(stream)
            assert block.live
            for text in texts:
                block.show(text)
            stream.write(END)
            stream.flush()
            sent = b""
            while not sent.endswith(END.encode()):  # a terminal may hand it over in parts
                sent += os.read(ours, 65536)
            return sent.decode().replace("\r\n", "\n").removesuffix(END)
    finally:
        os.close(ours)


def test_the_next_is_drawn_over_the_one_before_and_clears_what_was_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent = shown_on_terminal(monkeypatch, "a\nbbb\nc", "d")
    assert sent == "a\x1b[K\nbbb\x1b[K\nc\x1b[K\n\x1b[J\x1b[3Fd\x1b[K\n\x1b[J"


def test_what_is_larger_than_the_terminal_is_cut_so_that_it_can_be_drawn_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent = shown_on_terminal(monkeypatch, "\n".join(["x" * 50] * 9), "")
    lines = sent.split("\x1b[K\n")
    assert len([line for line in lines if "x" in line]) == 3
    assert all(len(line) < 20 for line in lines[:3])
    assert "\x1b[3F" in sent


def test_elsewhere_everything_stays() -> None:
    stream = io.StringIO()
    block = Redrawn(stream)
    block.show("a\nb")
    block.show("c" * 300)
    assert not block.live
    assert stream.getvalue() == "a\nb\n\n" + "c" * 300 + "\n\n"
