"""The process itself, asked directly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mosaic import worker_site
from mosaic.errors import ReplayError
from mosaic.paths import DataRoot
from mosaic.replay.child import Child
from mosaic.replay.interpreter import Interpreter


def child(home: Path, python: str = sys.executable) -> Child:
    site = worker_site.install(DataRoot(home))
    return Child(site, Interpreter(python=python, cwd=str(home), path=[]), silence_secs=20.0)


def test_what_an_environment_prints_is_no_answer(home: Path) -> None:
    script = "import sys; print('hello there'); sys.stdout.flush()"
    (home / "noisy.py").write_text(script + "\nclass Env:\n    def close(self): print('bye')\n")
    with child(home) as running:
        env = b'{"api":"gymnasium","id":null,"entry_point":"noisy:Env","kwargs":{}}'
        answer = running.ask({"type": "make", "allowed": ["noisy"], "path": [str(home)]}, env)
        assert answer["kind"] == "single"


def test_an_order_it_does_not_know_is_an_error_and_not_its_end(home: Path) -> None:
    with child(home) as running:
        for _ in range(2):
            with pytest.raises(ReplayError, match="_on_dance"):
                running.ask({"type": "dance"})
        assert running.alive


def test_a_program_that_speaks_otherwise_is_ended(home: Path) -> None:
    liar = home / "python3"
    liar.write_text("#!/bin/sh\necho This is no protocol at all\nsleep 60\n")
    liar.chmod(0o700)
    with child(home, str(liar)) as running:
        with pytest.raises(ReplayError, match="does not keep to the protocol"):
            running.ask({"type": "make"})
        assert not running.alive


def test_an_interpreter_that_cannot_be_started_is_told(home: Path) -> None:
    with pytest.raises(ReplayError, match="cannot start"):
        child(home, "/no/such/python3")
