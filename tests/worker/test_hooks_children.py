"""What a recorded process starts is recorded too, whatever environment the script gives it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from mosaic_worker.hooks.children import Ours, completed
from tests.worker.reading import record

if TYPE_CHECKING:
    from pathlib import Path

OURS = Ours("/site", {"MOSAIC_RUN_DIR": "/run", "MOSAIC_RUN_ID": "7"})
BEGIN = """
    import os, shlex, subprocess, sys
    child = [sys.executable, "-c", "import mosaic_worker as m; m.note('child')"]
    python = sys.executable
    def script():
        with open("child", "w") as file:
            file.write("#!" + python + "\\n" + child[2])
        os.chmod("child", 0o755)
        return "./child"
"""


def test_only_what_is_missing_is_added() -> None:
    ours = OURS.variables
    assert completed({}, OURS) == {**ours, "PYTHONPATH": "/site"}
    assert completed({"A": "1", "PYTHONPATH": "/src"}, OURS) == {**ours, "A": "1", "PYTHONPATH": "/site:/src"}
    assert completed({**ours, "PYTHONPATH": "/src:/site"}, OURS) is None
    assert completed({"PYTHONPATH": "/site"}, OURS) == {**ours, "PYTHONPATH": "/site"}


def test_another_runs_child_and_one_that_is_to_be_left_out_are_left_alone() -> None:
    assert completed({"MOSAIC_RUN_DIR": "/other"}, OURS) is None
    assert completed({"MOSAIC_RUN_DIR": "", "PYTHONPATH": "/src"}, OURS) is None


@pytest.mark.parametrize(
    "start",
    [
        "subprocess.run(child, env={}, check=True)",
        "subprocess.run(child, env={'PYTHONPATH': '/nowhere'}, check=True)",
        "subprocess.run(child, env={b'A': b'1'}, close_fds=False, check=True)",
        "subprocess.run(['python', *child[1:]], executable=python, env={}, check=True)",
        "os.environ.clear(); subprocess.run(child, check=True)",
        "os.environ['PYTHONPATH'] = '/nowhere'; assert os.system(shlex.join(child)) == 0",
        "os.waitpid(os.posix_spawn(python, child, {}), 0)",
        "assert os.spawnve(os.P_WAIT, python, child, {}) == 0",
        "os.environ.pop('PYTHONPATH'); assert os.spawnv(os.P_WAIT, python, child) == 0",
        "os.execve(python, child, {})",
        "os.environ.clear(); os.execl(python, *child)",
        "subprocess.run(['/bin/sh', '-c', 'exec \"$0\" \"$@\"', *child], env={}, check=True)",
        "subprocess.run([script()], env={}, check=True)",
    ],
)
def test_a_child_with_an_environment_of_its_own_is_recorded(tmp_path: Path, start: str) -> None:
    done = record(tmp_path, BEGIN + "    " + start)
    assert (done.code, done.stderr) == (0, "")
    assert [event["text"] for event in done.events("log")] == ["child"]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_children_of_multiprocessing_are_recorded_after_the_environment_was_cleared(
    tmp_path: Path, method: str
) -> None:
    done = record(
        tmp_path,
        f"""
        import multiprocessing, os
        import mosaic_worker
        def work():
            mosaic_worker.note("child")
        if __name__ == "__main__":
            os.environ.clear()
            child = multiprocessing.get_context({method!r}).Process(target=work)
            child.start()
            child.join()
            assert child.exitcode == 0
        """,
    )
    assert (done.code, done.stderr) == (0, "")
    assert [event["text"] for event in done.events("log")] == ["child"]


def test_a_program_that_is_not_python_gets_the_environment_it_was_given(tmp_path: Path) -> None:
    done = record(tmp_path, "import subprocess\nsubprocess.run(['/usr/bin/printenv'], env={'A': '1'})")
    assert done.stdout == "A=1\n"


def test_a_child_that_the_script_keeps_out_of_the_run_stays_out(tmp_path: Path) -> None:
    done = record(tmp_path, BEGIN + "    subprocess.run(child, env={'MOSAIC_RUN_DIR': ''})\n")
    assert done.events() == []


def test_a_python_that_cannot_be_recorded_is_named_and_runs_as_asked(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
        import subprocess, sys
        ask = "import sys; print(sys.flags.isolated, 'mosaic_worker' in sys.modules)"
        for _ in range(2):
            subprocess.run([sys.executable, "-I", "-c", ask], env={}, check=True)
        child = subprocess.Popen([sys.executable, "-S", "-m", "this"], stdout=subprocess.DEVNULL)
        child.wait()
        print(child.pid)
        """,
    )
    assert done.stderr == ""
    *isolated, pid = done.stdout.split("\n")[:-1]
    assert isolated == ["1 False", "1 False"]
    first, second = done.events("log")
    assert (first["level"], second["level"]) == ("warning", "warning")
    assert f"({sys.executable} -I -c …) could not be recorded: -I ignores PYTHONPATH" in first["text"]
    assert second["text"].startswith(f"process {pid} ({sys.executable} -S -m this) could not be recorded: -S")


def test_a_virtual_environment_made_inside_is_recorded_without_a_warning(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
        import subprocess, sys
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", "v"], check=True)
        child = ["v/bin/python", "-c", "import mosaic_worker as m; m.note('child')"]
        subprocess.run(child, env={}, check=True)
        """,
    )
    assert (done.code, done.stderr) == (0, "")
    assert [event["text"] for event in done.events("log")] == ["child"]
