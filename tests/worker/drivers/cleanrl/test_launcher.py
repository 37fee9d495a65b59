"""The launcher of single-file scripts, in real processes without a framework: as if `python script.py`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from typing import IO

import pytest

SRC = Path(__file__).parents[4] / "src"


def command(script: Path, *flags: str) -> list[str]:
    return [sys.executable, "-m", "mosaic_worker.drivers.cleanrl", "train", str(script), "--", *flags]


def environment(run: Path) -> dict[str, str]:
    run.mkdir(exist_ok=True)
    return {**os.environ, "PYTHONPATH": str(SRC), "MOSAIC_RUN_DIR": str(run)}


def write(tmp_path: Path, source: str) -> Path:
    script = tmp_path / "checkout" / "cleanrl" / "script.py"
    script.parent.mkdir(parents=True)
    script.write_text(dedent(source))
    return script


def run(tmp_path: Path, script: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(script, *flags),
        env=environment(tmp_path / "run"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@contextmanager
def going(tmp_path: Path, script: Path) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """A script that has said "going", and what it says from there on."""
    with subprocess.Popen(
        command(script),
        env=environment(tmp_path / "run"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "going\n"
        yield process, process.stdout


def test_a_script_runs_as_main_with_its_flags_its_checkout_and_a_place_of_its_own(tmp_path: Path) -> None:
    script = write(
        tmp_path,
        """
        import json, os, sys
        import helper, cleanrl_utils.tool
        if __name__ == "__main__":
            main = sys.modules["__main__"].__dict__ is globals()
            print(json.dumps([sys.argv, __file__, os.getcwd(), main]))
        """,
    )
    (script.parent / "helper.py").write_text("")
    (script.parent.parent / "cleanrl_utils").mkdir()
    (script.parent.parent / "cleanrl_utils" / "tool.py").write_text("")
    done = run(tmp_path, script, "--seed", "1", "--no-cuda")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[0]) == [
        [str(script), "--seed", "1", "--no-cuda"],
        str(script),
        str(tmp_path / "run" / "files"),
        True,
    ]
    assert "has no network among its globals" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("ending", "code", "said"),
    [
        ("sys.exit(0)", 0, ""),
        ("sys.exit()", 0, ""),
        ("sys.exit(3)", 3, ""),
        ("sys.exit('a sentence')", 1, "a sentence"),
        ("raise ValueError('too bad')", 1, "ValueError: too bad"),
    ],
)
def test_a_script_ends_as_it_would_alone(tmp_path: Path, ending: str, code: int, said: str) -> None:
    done = run(tmp_path, write(tmp_path, f"import sys\n{ending}\n"))
    assert done.returncode == code, done.stderr
    assert said in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_ends_a_script_that_swallows_exceptions(tmp_path: Path, number: signal.Signals) -> None:
    script = write(
        tmp_path,
        """
        import time
        while True:
            try:
                print("going", flush=True)
                time.sleep(60)
            except Exception:
                pass
        """,
    )
    with going(tmp_path, script) as (process, said):
        process.send_signal(number)
        rest = said.read()
        assert process.wait(60) == 128 + number
    assert "nothing saved" in rest


def test_a_second_signal_on_the_way_out_changes_nothing(tmp_path: Path) -> None:
    script = write(
        tmp_path,
        """
        import time
        try:
            print("going", flush=True)
            time.sleep(60)
        finally:
            print("leaving", flush=True)
            time.sleep(60)
        """,
    )
    with going(tmp_path, script) as (process, said):
        process.send_signal(signal.SIGINT)
        assert said.readline() == "leaving\n"
        process.send_signal(signal.SIGTERM)
        rest = said.read()
        assert process.wait(60) == 128 + signal.SIGINT
    assert "nothing saved" in rest
    assert "Traceback" not in rest


def test_a_script_that_ends_well_on_ctrl_c_may(tmp_path: Path) -> None:
    script = write(
        tmp_path,
        """
        import time
        try:
            print("going", flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            print("saved by the script itself", flush=True)
        """,
    )
    with going(tmp_path, script) as (process, said):
        process.send_signal(signal.SIGTERM)
        assert "saved by the script itself\n" in said.read()
        assert process.wait(60) == 128 + signal.SIGTERM


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train"], "usage"),
        (["train", "x.py", "--seed", "1"], "usage"),
        (["train", "nowhere.py", "--"], "cannot read"),
        (["eval", "--algo", "ppo"], "eval and play need"),
        (["dance"], "one of train, eval, play"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(tmp_path: Path, words: list[str], said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mosaic_worker.drivers.cleanrl", *words],
        env=environment(tmp_path / "run"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_script_that_is_no_python_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, write(tmp_path, "def (\n"))
    assert done.returncode == 2
    assert "is not Python" in done.stderr
