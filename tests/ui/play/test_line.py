"""The line to a session: found when it is there, let go when it is not wanted, told when it broke."""

from __future__ import annotations

from mosaic.app import key_files
from mosaic.protocol.hands import Binding, KeyMap
from mosaic.protocol.runs import RunState
from mosaic.ui.play.line import is_playing
from mosaic_worker.common.hands import SOCKET
from tests.ui.play.conftest import Stage
from tests.ui.play.talking import FOUR, Session, now, offer
from tests.ui.rows import row, run_id


def test_only_a_session_that_has_not_ended_can_be_played() -> None:
    assert is_playing(row(1, runner="session"))
    assert not is_playing(row(1, runner="session", state=RunState.FINISHED))
    assert not is_playing(row(1, runner="sb3"))
    assert not is_playing(None)


def test_it_says_who_it_is_and_lets_go_when_another_run_is_shown(stage: Stage) -> None:
    stage.open(offer(), now())
    assert stage.session.hello == {"hands": 1, "name": "desktop"}
    assert stage.bar.isVisible()
    stage.context.runs.update([row(2)])
    stage.context.selection.choose([run_id(2)])
    assert not stage.bar.isVisible()
    assert stage.session.gone()


def test_it_stays_while_another_tab_is_looked_at(stage: Stage) -> None:
    stage.open(offer(), now())
    stage.window.show_part(stage.window.telemetry)
    stage.say(now(seed=5))
    assert stage.playing.now is not None
    assert stage.playing.now.seed == 5


def test_nobody_is_called_before_somebody_looks(stage: Stage) -> None:
    stage.window.show_part(stage.window.telemetry)
    stage.context.runs.update([row(1, runner="session")])
    stage.context.selection.choose([run_id(1)])
    assert stage.bar.line.run_id is None
    stage.window.show_part(stage.window.live)
    stage.session.accept(offer(), now())
    stage.until(lambda: stage.playing.connected)


def test_a_session_that_goes_is_told_and_one_that_comes_back_is_found(stage: Stage) -> None:
    stage.open(offer(), now())
    assert stage.session._door is not None
    stage.session._door.close()
    stage.until(lambda: not stage.playing.connected)
    assert stage.playing.trouble == "The session has ended."
    stage.until(stage.session.knocked)
    stage.session.accept(offer(), now(seed=9))
    stage.until(lambda: stage.playing.now is not None)


def test_the_keys_somebody_chose_are_used_and_a_broken_file_is_told(stage: Stage) -> None:
    yours = KeyMap(bindings=[Binding(keys=["W"], action=3, name="up")])
    key_files.save(stage.context.root, "FrozenLake-v1", yours, space=FOUR)
    stage.open(offer(), now())
    stage.until(lambda: stage.playing.keys.source == "yours")
    assert stage.playing.wants("W")
    assert stage.bar.keys.said.text() == "W:\u00a0up    (your own keys)"
    key_files.file_of(stage.context.root, "FrozenLake-v1").write_text("[]")
    stage.say(offer())
    stage.until(lambda: "is not a key map" in stage.playing.trouble)


def test_a_session_that_does_not_listen_yet_is_tried_again(stage: Stage) -> None:
    stage.context.runs.update([row(2, runner="session")])
    stage.context.asks.watch.emit(run_id(2))
    stage.until(stage.bar.line._again.isActive)
    late = Session(stage.context.root.run(run_id(2)).path / SOCKET)
    stage.until(late.knocked)
    late.accept(offer(), now())
    stage.until(lambda: stage.playing.now is not None)
    late.close()
