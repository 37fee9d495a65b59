"""From a command line to a run spec to a run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mosaic.app.submitting import CommandNotFoundError, make_spec, parse_tag, sendable, shown, submit
from mosaic.errors import UsageError
from mosaic.runs.folder import is_run_id
from mosaic_worker.common.redact import MARK
from tests.daemons import Daemon, daemon

__all__ = ["daemon"]


def test_a_spec_has_an_id_of_its_own_and_the_callers_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one, two = make_spec(["sh", "-c", "true"], name="n", tags={"a": "b"}), make_spec(["sh"])
    assert is_run_id(one.run_id)
    assert one.run_id != two.run_id
    assert one.cwd == str(tmp_path)
    assert (one.command, one.name, one.tags) == (["sh", "-c", "true"], "n", {"a": "b"})


def test_a_command_that_does_not_exist_is_refused_as_a_shell_would(tmp_path: Path) -> None:
    with pytest.raises(CommandNotFoundError, match="no command 'pyhton'") as caught:
        make_spec(["pyhton", "x.py"], cwd=tmp_path)
    assert caught.value.exit_code == 127


def test_a_script_named_without_its_interpreter_gets_a_hint(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    with pytest.raises(CommandNotFoundError, match="mosaic run -- python train.py"):
        make_spec(["train.py"], cwd=tmp_path)
    with pytest.raises(CommandNotFoundError, match="not executable"):
        make_spec(["./train.py"], cwd=tmp_path)
    with pytest.raises(CommandNotFoundError, match="no program"):
        make_spec(["./other.py"], cwd=tmp_path)


def test_the_program_is_looked_for_on_the_workers_own_path(tmp_path: Path) -> None:
    with pytest.raises(CommandNotFoundError):
        make_spec(["sh"], env={"PATH": str(tmp_path)})


@pytest.mark.parametrize("command", [[], "python train.py", ["sh", "a\0b"], ["sh", "a\udcff"]])
def test_what_is_no_list_of_words_is_refused(command: list[str]) -> None:
    with pytest.raises(UsageError):
        make_spec(command)


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        make_spec(["sh"], cwd=tmp_path / "none")


@pytest.mark.parametrize("name", ["last", "a\nb", " padded", "x" * 300, "\x1b[31m"])
def test_names_that_could_mislead_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        make_spec(["sh"], name=name)


def test_tags_are_key_and_value() -> None:
    assert parse_tag("algo=ppo=2") == ("algo", "ppo=2")
    for text in ("algo", "=x"):
        with pytest.raises(UsageError, match="key=value"):
            parse_tag(text)


def test_variables_that_are_not_utf8_are_left_out_and_named() -> None:
    kept, left = sendable({"A": "ü", "B": "\udcff"})
    assert kept.keys() == {"A", "MOSAIC_UMASK"}
    assert left == ["'B'"]


def test_a_spec_becomes_a_run_with_the_given_variables_and_those_left_out_are_named(daemon: Daemon) -> None:
    env = {"PATH": os.environ["PATH"], "A": "ü", "B": "\udcff"}
    spec = make_spec(["sh", "-c", 'printf %s "$A$B$HOME"'], env=env)
    assert submit(daemon.root, spec, env) == ["'B'"]
    daemon.wait(spec.run_id)
    assert daemon.client.logs(spec.run_id).data.decode() == "ü"


def test_a_command_is_shown_without_its_secrets_and_without_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "canary-variable")
    words = ["python", "a.py", "--api-key", "abc", "x=canary-variable"]
    assert shown(words) == ["python", "a.py", "--api-key", MARK, f"x={MARK}"]
