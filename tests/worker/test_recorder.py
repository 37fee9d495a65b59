"""The recorder's own events, read strictly by the protocol."""

from __future__ import annotations

import hashlib
import os
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from mosaic.protocol.codec import decode_lines
from mosaic.protocol.events import Belief, Bye, Checkpoint, Config, Decision, Hello, Log, Metric
from mosaic_worker import recorder as recorder_module
from mosaic_worker import report
from mosaic_worker.common.redact import MARK
from mosaic_worker.episodes import Track
from mosaic_worker.recorder import Recorder

if TYPE_CHECKING:
    from pathlib import Path


def events(tmp_path: Path) -> list[Any]:
    (segment,) = (tmp_path / "journal").iterdir()
    found: list[Any] = decode_lines(segment.read_bytes())
    return found


def test_nothing_recorded_leaves_nothing(tmp_path: Path) -> None:
    Recorder(str(tmp_path)).close()
    assert list(tmp_path.iterdir()) == []


def test_the_first_event_says_hello_and_the_last_bye(tmp_path: Path) -> None:
    recorder = Recorder(str(tmp_path))
    assert recorder.note("to be read") == 1
    recorder.close("done")
    hello, note, bye = events(tmp_path)
    assert isinstance(hello, Hello)
    assert (hello.protocol, hello.producer, hello.pid) == (1, recorder.producer, os.getpid())
    assert (hello.parent_pid, hello.executable, hello.argv) == (os.getppid(), sys.executable, sys.argv)
    assert hello.packages["numpy"] == np.__version__
    assert isinstance(note, Log)
    assert note.text == "to be read"
    assert isinstance(bye, Bye)
    assert (bye.events, bye.reason, bye.seq) == (3, "done", 2)
    assert [hello.t, note.t, bye.t] == sorted(float(event.t) for event in (hello, note, bye))


def test_a_secret_of_the_command_or_of_a_variable_is_in_neither_hello_nor_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["train.py", "--api-key", "canary-of-a-flag", "--seed", "1"])
    monkeypatch.setenv("MY_TOKEN", "canary-of-a-variable")
    recorder = Recorder(str(tmp_path))
    recorder.config(algo="ppo", k="canary-of-a-flag", note="a canary-of-a-variable", args={"password": "abc"})
    recorder.close()
    hello, config, _ = events(tmp_path)
    assert hello.argv == ["train.py", "--api-key", MARK, "--seed", "1"]
    assert config.args == {"password": MARK, "k": MARK, "note": f"a {MARK}"}


def test_metrics_take_whatever_holds_one_number(tmp_path: Path) -> None:
    recorder = Recorder(str(tmp_path))
    for value in (1, 0.1, float("nan"), np.float32(0.5), np.array(2.0), True):
        recorder.metric('lös"s', value, step=np.int64(7), source="tensorboard")
    recorder.metric("plain", -0.0)
    recorder.close()
    found = [event for event in events(tmp_path) if isinstance(event, Metric)]
    assert [event.value for event in found] == [1.0, 0.1, "NaN", 0.5, 2.0, 1.0, -0.0]
    assert str(found[-1].value) == "-0.0"
    assert {(event.name, event.step, event.source) for event in found[:-1]} == {('lös"s', 7, "tensorboard")}
    assert (found[-1].step, found[-1].source) == (None, None)


def test_config_puts_unknown_fields_among_the_arguments(tmp_path: Path) -> None:
    recorder = Recorder(str(tmp_path))
    recorder.config(algo="ppo", seed=3, gamma=0.99, args={"layers": (64, 64)}, env_id=None)
    recorder.close()
    found = events(tmp_path)[1]
    assert isinstance(found, Config)
    assert (found.algo, found.seed, found.env_id) == ("ppo", 3, None)
    assert found.args == {"layers": [64, 64], "gamma": 0.99}


@pytest.mark.parametrize(
    ("known", "event"),
    [
        (recorder_module._CONFIG_FIELDS, Config),
        (recorder_module._DECISION_FIELDS, Decision),
        (recorder_module._BELIEF_FIELDS, Belief),
    ],
)
def test_the_fields_it_knows_are_those_of_the_protocol(known: tuple[str, ...], event: Any) -> None:
    fields = {field.encode_name for field in msgspec.structs.fields(event)}
    assert {*known} == fields - {"seq", "t"}
    assert len({*known}) == len(known)


def test_a_decision_is_about_the_next_step_of_the_one_open_episode(tmp_path: Path) -> None:
    recorder = Recorder(str(tmp_path))
    recorder.decision(operator="llm", proposed=np.int64(2), verdict="allow", ms=1.5, tokens=12)
    track = Track(recorder)
    track.begin(np.zeros(1))
    recorder.decision(
        proposed=1, executed=0, verdict="veto", by="guard", reason="a hole", data={"text": "no"}, n=1
    )
    recorder.belief(add=["at(3)"], delete=["at(2)"], chosen="go", intentions=["home"])
    recorder.belief(data=["at(3)"], episode_id="other", step=7, agent_id="a")
    other = Track(recorder)
    other.begin(np.zeros(1))
    recorder.decision(proposed=1)
    recorder.close()
    first, second, last = [event for event in events(tmp_path) if isinstance(event, Decision)]
    third, fourth = [event for event in events(tmp_path) if isinstance(event, Belief)]
    assert (first.episode_id, first.step, first.operator, first.proposed) == (None, None, "llm", 2)
    assert (first.verdict, first.ms, first.data) == ("allow", 1.5, {"tokens": 12})
    assert (second.episode_id, second.step) == (track.episode_id, 0)
    assert (second.executed, second.by, second.reason) == (0, "guard", "a hole")
    assert second.data == {"text": "no", "n": 1}
    assert (third.episode_id, third.step) == (track.episode_id, 0)
    assert (third.add, third.del_, third.chosen, third.intentions) == (["at(3)"], ["at(2)"], "go", ["home"])
    assert (fourth.episode_id, fourth.step, fourth.agent_id) == ("other", 7, "a")
    assert (last.episode_id, last.step) == (None, None), "two episodes are open: which one is not known"


def test_a_checkpoint_is_hashed_and_named_from_the_run_folder_when_inside(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    recorder = Recorder(str(run))
    inside, outside = run / "checkpoints" / "a.pt", tmp_path / "b.pt"
    inside.parent.mkdir()
    for path in (inside, outside):
        path.write_bytes(b"weights" * 1000)
        recorder.checkpoint(path, step=5, kind="torch", meta={"best": True})
    recorder.close()
    found = [event for event in events(run) if isinstance(event, Checkpoint)]
    assert [event.path for event in found] == ["checkpoints/a.pt", str(outside)]
    assert {event.sha256 for event in found} == {hashlib.sha256(b"weights" * 1000).hexdigest()}
    assert (found[0].bytes, found[0].step, found[0].kind, found[0].meta) == (7000, 5, "torch", {"best": True})


def test_a_checkpoint_that_does_not_exist_is_an_error_and_no_event(tmp_path: Path) -> None:
    recorder = Recorder(str(tmp_path))
    with pytest.raises(FileNotFoundError):
        recorder.checkpoint(tmp_path / "none.pt")
    recorder.close()
    assert list(tmp_path.iterdir()) == []


def test_emit_encodes_values_and_numbers_events(tmp_path: Path) -> None:
    recorder = Recorder(str(tmp_path), inline_bytes=8)
    event = {
        "type": "decision",
        "data": {"q": np.zeros(9), "bad": "\udcff", "z": "\0\n"},
        "seq": 99,
        "t": 1.0,
    }
    assert [recorder.emit(event), recorder.emit(event)] == [1, 2]
    recorder.close()
    found = events(tmp_path)[1]
    assert found.data["q"]["shape"] == [9]
    assert "crc32" in found.data["q"]
    assert found.data["bad"] == "\\udcff"
    assert found.data["z"] == "\0\n"
    assert found.t > 1.0


def test_finishers_run_before_bye_and_their_failures_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder = Recorder(str(tmp_path))
    before = report.counts().get("finishing", 0)
    recorder.note("x")

    def fails() -> None:
        raise IndexError("on purpose")

    def works() -> None:
        recorder.note("finished")

    recorder.at_close(fails)
    recorder.at_close(works)
    recorder.close()
    found = events(tmp_path)
    assert found[-2].text == "finished"
    assert found[-1].hook_errors["finishing"] == before + 1
    capsys.readouterr()


def test_a_note_has_the_level_it_was_given(tmp_path: Path) -> None:
    recorder = Recorder(str(tmp_path))
    recorder.note("plain")
    recorder.note("loud", "warning")
    recorder.close()
    assert [(event.text, event.level) for event in events(tmp_path) if isinstance(event, Log)] == [
        ("plain", "info"),
        ("loud", "warning"),
    ]
