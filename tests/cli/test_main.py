"""The group itself: lazy, documented, and clear about errors."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from mosaic.cli import main as cli
from mosaic.errors import UsageError
from mosaic.exporting import tables

DOCS = Path(__file__).parents[2] / "docs" / "cli.md"


def _tree(command: click.Command, path: tuple[str, ...] = ()) -> dict[str, click.Command]:
    found = {" ".join(path): command} if path else {}
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            found |= _tree(below, (*path, name))
    return found


TREE = _tree(cli.mosaic)


def test_every_command_has_its_heading_in_the_documentation() -> None:
    headings = re.findall(r"^#{2,3} (.+)$", DOCS.read_text(), re.MULTILINE)
    assert sorted(headings) == sorted(TREE)
    assert [name for name in headings if " " not in name] == list(cli.COMMANDS)


@pytest.mark.parametrize("name", list(TREE))
def test_every_command_has_help_with_an_example(name: str) -> None:
    text = TREE[name].get_help(click.Context(TREE[name], info_name=name))
    assert "Example:" in text
    assert "mosaic " in text


@pytest.mark.parametrize("name", list(cli.COMMANDS))
def test_the_short_help_is_the_first_line_of_the_long_one(name: str) -> None:
    own = (TREE[name].help or "").strip().split("\n")[0]
    assert own.split(",")[0].rstrip(".") == cli.COMMANDS[name][1].split(",")[0].rstrip(".")


@pytest.mark.parametrize("name", [name for name in TREE if isinstance(TREE[name], click.Group)])
def test_no_line_of_a_list_of_commands_is_cut(name: str) -> None:
    shown = TREE[name].get_help(click.Context(TREE[name], info_name=name, terminal_width=80))
    assert "..." not in shown.partition("Commands:")[2]


@pytest.mark.parametrize("name", list(TREE))
def test_every_option_of_a_command_is_under_its_heading(name: str) -> None:
    opening, *rest = re.split(r"^#{2,3} (.+)$", DOCS.read_text(), flags=re.MULTILINE)
    text = dict(zip(rest[::2], rest[1::2], strict=True))[name]
    text += (
        "--wait" if "`--wait`" in opening and name != "stop" else ""
    )  # what it means is said once, for all
    for parameter in TREE[name].params:
        if isinstance(parameter, click.Option):
            words = "|".join(map(re.escape, parameter.opts))
            assert re.search(rf"(?<![\w-])(?:{words})(?![\w-])", text), parameter.opts


def test_every_table_of_an_export_is_named_under_its_heading() -> None:
    text = DOCS.read_text().partition("\n## export\n")[2].partition("\n## ")[0]
    assert [name for name in tables.TABLES if f"`{name}`" not in text] == []


@pytest.mark.parametrize("name", ["ui", "checkpoints"])
def test_an_argument_that_may_be_left_out_is_under_its_heading(name: str) -> None:
    assert f"mosaic {name} [RUN]" in DOCS.read_text()


def test_listing_runs_loads_neither_grpc_nor_numpy_nor_rich(home: Path) -> None:
    code = "import sys; from mosaic.cli.main import _guarded; _guarded(['ls']); print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"MOSAIC_HOME": str(home)},
    )
    loaded = set(done.stdout.split())
    assert not loaded & {"grpc", "numpy", "rich", "google.protobuf", "zstandard"}


def _main(*args: str) -> int:
    return cli._guarded(list(args))


def test_an_unknown_command_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert _main("sohw") == 2
    assert "Did you mean 'show'?" in capsys.readouterr().err


def test_an_error_of_ours_is_one_sentence_and_no_traceback(
    capsys: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _main("show", "last") == 2
    err = capsys.readouterr().err
    assert err.startswith("mosaic: there are no runs yet.")
    assert "Traceback" not in err
    monkeypatch.setenv("MOSAIC_DEBUG", "1")
    with pytest.raises(UsageError):
        _main("show", "last")
    del home


def test_python_dash_m_mosaic_is_the_same_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mosaic", "version"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout.startswith("mosaic ")


def test_a_reader_that_leaves_early_is_no_error(home: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -m mosaic --help | head -1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    del home


def test_a_data_root_open_to_others_is_refused(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.chmod(0o755)
    assert _main("ls") == 1
    assert f"chmod 700 {home}" in capsys.readouterr().err


def test_in_a_deleted_folder_the_way_out_is_said(home: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    script = f"mkdir {gone}; cd {gone}; rmdir {gone}; exec {sys.executable} -m mosaic run -- true"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "mosaic: the folder you are in was deleted. Go to one that is there, for example: cd ~\n"
    )
    assert not (home / "runs").exists()
