"""The replay child as a process: what it takes requests from, where answers go, and what it imports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import mosaic_worker
from mosaic_worker.common import wire
from mosaic_worker.replay import __main__ as program

MAKE = {"type": "make", "allowed": ["nosy"]}
NOSY: dict[str, Any] = {"api": "gymnasium", "id": None, "entry_point": "nosy:Env", "kwargs": {}}

_NOSY = """
import os, sys
print("imported", flush=True)
os.write(1, b"written to the descriptor\\n")
os.system("echo from a child of its own")

class Env:
    def __init__(self):
        names = ("build", "units", "wire")
        self.seen = {name: __import__("importlib.util").util.find_spec(name) is not None for name in names}

    def close(self):
        print("read", repr(sys.stdin.read()), self.seen, file=sys.stdout)
"""


def child(
    folder: Path,
    *requests: tuple[dict[str, Any], Any],
    start: Path = Path(program.__file__),
    **env: str,
) -> tuple[list[Any], str]:
    """The answers to some requests, and what was said besides; run as a file, without a path."""
    (folder / "nosy.py").write_text(_NOSY)
    data = b"".join(wire.encode(header, json.dumps(body).encode()) for header, body in requests)
    given = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, str(start)],
        input=data,
        capture_output=True,
        cwd=folder,
        env={**given, **env},
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    buffer = bytearray(done.stdout)
    answers = []
    while (message := wire.take(buffer)) is not None:
        answers.append(message[0])
    assert not buffer
    return answers, done.stderr.decode()


def test_only_answers_are_on_standard_output_and_requests_are_nobody_elses(tmp_path: Path) -> None:
    made = ({**MAKE, "path": [str(tmp_path)]}, NOSY)
    (hello, first, second), said = child(tmp_path, made, made)
    assert hello == {"type": "hello", "python": sys.version.split()[0], "executable": sys.executable}
    assert [first["type"], second["type"]] == ["done", "done"]  # the environment ate no request
    for words in ("imported", "written to the descriptor", "from a child of its own"):
        assert words in said
    assert said.count("read ''") == 2
    assert "True" not in said  # nothing beside the program can be imported as if it were a library


def test_it_finds_its_own_package_wherever_it_is_started_from_and_keeps_the_users_path(
    tmp_path: Path,
) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "nosy.py").write_text("class Env:\n    def close(self): pass\n")
    answers, _ = child(tmp_path, (MAKE, NOSY), PYTHONPATH=str(tmp_path / "theirs"))
    assert [answer["type"] for answer in answers] == ["hello", "done"]


def test_its_own_package_comes_before_what_stands_in_the_users_path(tmp_path: Path) -> None:
    copy = tmp_path / "copy" / "mosaic_worker"  # as a data root has one: nobody's path leads there
    shutil.copytree(Path(mosaic_worker.__file__).parent, copy)
    other = tmp_path / "mosaic_worker"
    other.mkdir()
    (other / "__init__.py").write_text("raise RuntimeError('another one')")
    start = copy / "replay" / "__main__.py"
    answers, _ = child(tmp_path, ({"type": "dance"}, None), start=start, PYTHONPATH=str(tmp_path))
    assert [answer["type"] for answer in answers] == ["hello", "error"]
