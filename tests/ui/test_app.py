"""The program itself, in its own process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mosaic.paths import DataRoot
from mosaic.ui.shell import layout
from tests.daemons import running_daemon, until

if TYPE_CHECKING:
    from pathlib import Path


def run(*args: str, home: Path, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    return subprocess.run(
        [sys.executable, *args],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        env=kept | {"MOSAIC_HOME": str(home)} | env,
    )


def test_without_a_display_plain_mosaic_prints_the_help_and_ui_says_why(home: Path) -> None:
    plain = run("-m", "mosaic", home=home)
    assert plain.returncode == 0
    assert "Usage: mosaic" in plain.stdout
    ui = run("-m", "mosaic", "ui", home=home)
    assert ui.returncode == 2
    assert "there is no display" in ui.stderr


def test_without_qt_it_says_what_to_install(home: Path) -> None:
    code = (
        "import sys, importlib.util as u; real = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'PySide6' else real(name, *a)\n"
        "from mosaic.cli.main import main; main(['ui'])"
    )
    ui = run("-c", code, home=home, QT_QPA_PLATFORM="offscreen")
    assert ui.returncode == 2
    assert 'pip install "mosaic-workbench[ui]"' in ui.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_closes_the_window_as_its_button_does(number: signal.Signals, home: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    env = kept | {"MOSAIC_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    command, root = [sys.executable, "-m", "mosaic", "ui"], DataRoot(home)
    with (
        running_daemon(root),
        subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as program,
    ):
        try:
            until(layout.path_of(root).exists)  # it is filled, and remembers itself
            program.send_signal(number)
            _, said = program.communicate(timeout=90)
        finally:
            program.kill()
    assert program.returncode == 0, said
    assert "Traceback" not in said
