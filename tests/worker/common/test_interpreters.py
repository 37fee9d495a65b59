"""Which commands start a Python, and what stands in the way of recording it."""

from __future__ import annotations

import shlex

import pytest

from mosaic_worker.common.interpreters import may_start_python, names_python, read, warnings


@pytest.mark.parametrize(
    "program",
    ["python", "/usr/bin/python3", "python3.11", "/v/bin/pypy3", "python3.13t", "bash", "uv", "/bin/env"],
)
def test_pythons_and_launchers_are_known_by_name(program: str) -> None:
    assert may_start_python(program)


@pytest.mark.parametrize("program", ["pythonista", "ls", "/python/ls", "git", "ipython-config"])
def test_other_programs_are_not(program: str) -> None:
    assert not may_start_python(program)
    assert not names_python(program)


def test_a_script_is_what_its_first_line_says() -> None:
    assert may_start_python("train", first_line=b"#!/usr/bin/env python3")
    assert may_start_python("train", first_line=b"#! /opt/venv/bin/python3.11 -u")
    assert may_start_python("train", first_line=b"#!/bin/sh -e")
    assert not may_start_python("train", first_line=b"#!/usr/bin/perl")
    assert not may_start_python("train", first_line=b"\x7fELF python")


@pytest.mark.parametrize(
    ("command", "shown", "why"),
    [
        ("python -I train.py --key secret", "python -I train.py", "-I ignores PYTHONPATH"),
        ("python3 -uE train.py", "python3 -uE train.py", "-E ignores PYTHONPATH"),
        (
            "python -W ignore -X dev -S -m train --key secret",
            "python -W ignore -X dev -S -m train",
            "-S leaves",
        ),
        ("python -Ic 'import x'", "python -Ic …", "-I ignores"),
        ("nice -n 5 python -I train.py", "python -I train.py", "-I ignores"),
        ("uv run --with x python -E train.py", "python -E train.py", "-E ignores"),
        ("sh -ec 'cd x && python -I train.py; python b.py'", "python -I train.py", "-I ignores"),
        (
            "sh -c 'PYTHONPATH=src exec python train.py --key secret'",
            "PYTHONPATH=src python train.py",
            "Keep it",
        ),
        ("env PYTHONPATH=src python a.py", "env PYTHONPATH=src python a.py", "Keep it"),
        ("env -i python a.py", "env -i python a.py", "env -i clears"),
        ("sudo -u me python a.py", "sudo -u me python a.py", "sudo clears"),
    ],
)
def test_what_stands_in_the_way_is_named_without_the_scripts_own_words(
    command: str, shown: str, why: str
) -> None:
    found = read(shlex.split(command))
    assert found.shown == shown
    assert why in found.obstacle
    assert not found.tool


@pytest.mark.parametrize(
    "command",
    [
        "python train.py -I",
        "python -u -m train -E",
        "python -X importtime -W error::I train.py",
        "python -c 'print(1)' -S",
        "python - -I",
        "python",
        "python -V",
        "python --version",
        "ls -I",
        "bash train.sh -I",
        "sh -c 'PYTHONPATH=src:$PYTHONPATH python a.py'",
        "sh -c 'PYTHONPATH=src ls'",
        'sh -c "it\'s python -I"',
        "env -i ls",
        "env -i MOSAIC_RUN_DIR=x PYTHONPATH=/data/worker/0123456789abcdef python a.py",
        "sudo -E python a.py",
        "nice ls",
        "sh",
        "",
    ],
)
def test_other_commands_have_nothing_in_their_way(command: str) -> None:
    assert (
        read(shlex.split(command) if "'s" not in command else ["sh", "-c", "it's python -I"]).obstacle == ""
    )


def test_pythons_own_tools_are_not_runs_that_are_missing() -> None:
    assert read(["python", "-Im", "ensurepip", "--upgrade"]).tool
    assert read(["python", "-m", "mosaic.daemon"]).tool
    assert not read(["python", "-m", "piper"]).tool


def test_a_warning_is_one_sentence_about_the_command() -> None:
    (said,) = warnings(["python", "-I", "train.py", "--key", "secret"])
    assert said.startswith("python -I train.py could not be recorded: -I ignores PYTHONPATH")
    assert warnings(["python", "train.py"]) == []
