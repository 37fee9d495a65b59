from __future__ import annotations

import shutil
import sys
from pathlib import Path

import msgspec
import pytest

from mosaic.errors import ReplayError
from mosaic.paths import RunFolder
from mosaic.protocol.runs import Manifest
from mosaic.replay.interpreter import _usable, environment, interpreter_of
from mosaic.runs.files import read_json, write_json
from mosaic.store.reader import StoreReader


def test_the_interpreter_that_recorded_it_replays_it(cartpole: RunFolder) -> None:
    with StoreReader(cartpole) as reader:
        interpreter = interpreter_of(cartpole, reader)
    assert interpreter.python == sys.executable
    assert interpreter.note == ""
    assert all(Path(place).is_dir() for place in interpreter.path)


def test_what_a_run_from_another_machine_names_is_not_run(
    cartpole: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = RunFolder(tmp_path / cartpole.run_id)
    shutil.copytree(cartpole.path, copy.path)
    manifest = read_json(copy.manifest, Manifest)
    assert manifest is not None
    write_json(copy.manifest, msgspec.structs.replace(manifest, host="elsewhere"))
    monkeypatch.setattr(sys, "executable", "/our/own/python3")
    with StoreReader(copy) as reader:
        interpreter = interpreter_of(copy, reader)
    assert interpreter.python == "/our/own/python3"
    assert "another machine" in interpreter.note


@pytest.mark.parametrize("path", ["python3", "/bin/sh", "/no/python3", "/usr/bin/env"])
def test_only_a_python_by_its_full_name_is_ever_started_from_a_record(path: str) -> None:
    assert not _usable(path)
    assert _usable(sys.executable)


def test_a_named_interpreter_has_to_be_there(cartpole: RunFolder) -> None:
    with StoreReader(cartpole) as reader, pytest.raises(ReplayError, match="/no/python"):
        interpreter_of(cartpole, reader, python="/no/python")


def test_the_child_needs_no_screen_and_records_nothing() -> None:
    found = environment({"MOSAIC_RUN_DIR": "/x", "HOME": "/h", "MUJOCO_GL": "glx"})
    assert "MOSAIC_RUN_DIR" not in found
    assert (found["HOME"], found["MUJOCO_GL"], found["SDL_VIDEODRIVER"]) == ("/h", "glx", "dummy")
