"""From a recorded step on, with keys in the real program: somebody goes on, both are seen together."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from mosaic.app import run_index
from mosaic.paths import DataRoot
from tests.daemons import running_daemon
from tests.ui.journey.desk import Desk, screen

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

__all__ = ["screen"]


def mosaic(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "mosaic", *words], check=True, stdout=subprocess.DEVNULL)


def test_somebody_goes_on_from_the_step_on_screen_and_stands_beside_the_original(
    home: Path, screen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The walk goes down twice, then right into a hole; from its second step a better one is played."""
    monkeypatch.setenv("MOSAIC_HOME", str(home))
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps([1, 1, 1]))
    new.write_text(json.dumps([2, 2, 1, 2]))
    with running_daemon(DataRoot(home)):
        words = ("FrozenLake-v1", "--operator", f"actions:{old}", "env.is_slippery=false")
        mosaic("play", *words, "--name", "walk")
        desk = Desk(home, screen, log=tmp_path / "log")
        try:
            desk.until("c.link.connected and len(c.runs.rows) == 1")
            desk.ask("c.selection.choose([c.runs.rows[0].run_id])")
            desk.ask("key('R', 'Control')")
            desk.until("w.replay.replaying.shown is not None")
            desk.ask("click(w.replay.view)")
            assert desk.ask("w.replay.beside_button.isEnabled()") is False
            desk.ask("key('Right') or key('Right')")
            desk.until("w.replay.transport.position == 2")
            desk.ask("key('G')")
            desk.until("w.replay.go_on_bar.who.count() > 3 and w.focusWidget() is w.replay.go_on_bar.who")
            desk.ask("key('A', 'Control')")
            desk.ask(f"keys('actions:{new}')")
            desk.ask("key('Return')")
            desk.until("len(c.runs.rows) == 2 and c.runs.rows[0].state.value == 'finished'")
            desk.until("w.replay.beside_button.isEnabled()")
            desk.ask("click(w.replay.view)")
            desk.ask("key('B')")
            desk.until("w.replay.beside.on and w.replay.beside.shown is not None")
            said = desk.ask("w.replay.beside_view.sentence.text()")
            assert said == "The same up to step 2, then another action."
            desk.ask("key('End')")
            desk.until("w.replay.beside.shown.step == 6 and w.replay.replaying.shown.step == 3")
            feet = [desk.ask(f"w.replay.beside_view.{side}.foot.text()") for side in ("original", "branch")]
            assert feet == [
                "step 3 of 3 · return 0 · terminated",
                "step 6 of 6 · return 1 · terminated",
            ]
            desk.ask("key('P')")
            desk.until("w.replay.transport.position == 3")
        finally:
            desk.close()
        assert [row.parent is not None for row in run_index.rows(DataRoot(home))].count(True) == 1
        mosaic("replay", "last", "--all", "--verify")
