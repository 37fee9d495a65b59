"""The child's conversation, over real pipes and with real environments. The process: test_worker_main."""

from __future__ import annotations

import io
import json
import os
import sys
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from mosaic_worker.common import wire
from mosaic_worker.common.scene import decode
from mosaic_worker.replay import serve
from mosaic_worker.replay.serve import Server
from mosaic_worker.replay.units import Unit
from tests.replay import taken

CARTPOLE: dict[str, Any] = {"api": "gymnasium", "id": "CartPole-v1", "kwargs": {}}
MAKE = ({"type": "make"}, CARTPOLE)

Request = tuple[dict[str, Any], Any]
Answer = tuple[dict[str, Any], bytes]


def converse(*requests: Request) -> list[list[Answer]]:
    """What is answered to each request, the greeting apart."""
    theirs, ours = os.pipe()
    for header, body in requests:
        os.write(ours, wire.encode(header, b"" if body is None else json.dumps(body).encode()))
    os.close(ours)
    answers = io.BytesIO()
    with os.fdopen(theirs, "rb", buffering=0) as file:
        Server(file, answers).run()
    answers.seek(0)
    greeting = wire.read(answers)
    assert greeting is not None
    assert greeting[0] == {
        "type": "hello",
        "python": sys.version.split()[0],
        "executable": sys.executable,
    }
    found: list[list[Answer]] = [[]]
    while (answer := wire.read(answers)) is not None:
        found[-1].append(answer)
        if answer[0]["type"] in ("done", "error"):
            found.append([])
    assert found.pop() == []
    assert len(found) == len(requests)
    return found


def constructed(entry_point: str) -> dict[str, Any]:
    """The description of an environment that its class made."""
    return {"api": "gymnasium", "id": None, "kwargs": {}, "entry_point": entry_point}


def unit(number: int, *, seed: int = 3, **changes: Any) -> Request:
    """A recorded episode of CartPole, handed in."""
    taken_unit = taken.single(gym.make("CartPole-v1"), [1, 0, 1], seed=seed)
    for turn, reward in changes.get("rewards", {}).items():
        taken_unit.turns[turn][1] = reward
    body = {name: getattr(taken_unit, name) for name in Unit.__slots__}
    return {"type": "unit", "number": number}, body


def attempt(start: int, target: int, **more: Any) -> Request:
    return {"type": "attempt", "start": start, "target": target, **more}, None


def draw(*turns: int, focus: str | None = None) -> Request:
    return {"type": "draw", "turns": list(turns), "focus": focus}, None


def only(answers: list[Answer]) -> dict[str, Any]:
    """The one answer there is, how far it was apart."""
    ((header, body),) = [answer for answer in answers if answer[0]["type"] != "progress"]
    assert body == b""
    return header


def test_an_environment_is_made_and_what_is_different_here_is_told() -> None:
    described = {**CARTPOLE, "versions": {"gymnasium": "0.1"}}
    ((answer,),) = converse(({"type": "make"}, described))
    assert answer[0] == {
        "type": "done",
        "kind": "single",
        "frames": True,
        "notes": [],
        "then": {"gymnasium": "0.1"},
        "now": {"gymnasium": gym.__version__},
        "render_fps": 50,
        "source_changed": "",
    }


def test_an_environment_is_made_without_frames_when_none_are_wanted() -> None:
    made, refused = converse(({"type": "make", "frames": False}, CARTPOLE), draw(0))
    assert only(made)["frames"] is False
    assert only(refused) == {"type": "error", "kind": "cannot", "text": "it was made without frames"}


def test_why_there_are_no_frames_is_told_when_one_is_asked_for() -> None:
    described = constructed("tests.replay.walking:Walk")
    made, refused = converse(({"type": "make", "allowed": ["tests"]}, described), draw(0))
    assert only(made)["frames"] is False
    assert only(made)["notes"] == [only(refused)["text"]]
    assert only(refused)["text"].startswith("it cannot be made for frames (TypeError: ")


def test_a_module_nobody_allowed_is_named_and_not_imported() -> None:
    described = constructed("antigravity:Env")
    (refused,) = converse(({"type": "make", "allowed": ["tests"]}, described))
    assert only(refused) == {"type": "error", "kind": "consent", "text": "antigravity"}
    assert "antigravity" not in sys.modules


def test_an_allowed_module_is_looked_for_in_the_given_folders(tmp_path: Any) -> None:
    (tmp_path / "beside_serve.py").write_text(
        "class Env:\n    def __init__(self): self.made = True\n    def close(self): pass\n"
    )
    described = constructed("beside_serve:Env")
    try:
        (made,) = converse(
            ({"type": "make", "allowed": ["beside_serve"], "path": [str(tmp_path)]}, described)
        )
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("beside_serve", None)
    assert only(made)["type"] == "done"


def test_what_cannot_be_made_is_an_answer() -> None:
    (refused,) = converse(({"type": "make"}, {**CARTPOLE, "id": "NoSuch-v3"}))
    assert only(refused)["kind"] == "cannot"
    assert "knows no environment 'NoSuch-v3'" in only(refused)["text"]


def test_attempts_are_played_and_what_differs_is_told() -> None:
    *_, same, other, changed = converse(
        MAKE, unit(0), unit(1, seed=5), unit(2, rewards={1: 7.0}), attempt(0, 0), attempt(0, 1), attempt(2, 2)
    )
    for answers in (same, other):
        assert only(answers) == {"type": "done", "differences": [], "keyframes": False, "scene": False}
    assert only(changed)["differences"] == [
        {"whose": "", "turn": 1, "what": "reward", "recorded": "7.0", "now": "1.0"}
    ]


def test_a_lost_action_is_an_answer_of_its_kind() -> None:
    header, body = unit(0)
    body["turns"][0][0] = {"repr": "<mine>", "type": "my.Action"}
    *_, answers = converse(MAKE, (header, body), attempt(0, 0))
    ((difference,),) = [only(answers)["differences"]]
    assert (difference["what"], difference["turn"]) == ("raised", 0)
    assert "LostError: a value of type my.Action" in difference["now"]


def test_units_are_forgotten_below_a_number() -> None:
    *_, done, gone, there = converse(
        MAKE, unit(0), unit(1), unit(2), ({"type": "forget", "below": 2}, None), attempt(1, 1), attempt(2, 2)
    )
    assert only(done) == {"type": "done"}
    assert only(gone) == {"type": "error", "kind": "failed", "text": "KeyError: 1"}
    assert only(there)["differences"] == []


def test_frames_come_one_by_one_and_the_one_that_differs_is_marked() -> None:
    *_, drawn = converse(
        MAKE, unit(0, rewards={1: 7.0}), attempt(0, 0, seekable=True), draw(2, 0, 2, focus="")
    )
    *frames, (done, _) = drawn
    assert done == {"type": "done"}
    assert [header for header, _ in frames] == [
        {"type": "frame", "turn": turn, "differs": turn == 2, "height": 400, "width": 600}
        for turn in (2, 0, 2)
    ]
    assert [len(body) for _, body in frames] == [400 * 600 * 3] * 3
    assert frames[0][1] == frames[2][1] != frames[1][1]


def test_a_difference_of_another_agent_is_not_marked_for_this_one() -> None:
    env = {"api": "pettingzoo-parallel", "module": "tests.replay.test_worker_serve", "function": "Painted"}
    turns = [{"a": [1, 1.0, 0, 1], "b": [2, 9.0, 0, 1]}]
    body = {"reset": {"seed": 1}, "first": None, "turns": turns}
    *_, ours, theirs = converse(
        ({"type": "make", "allowed": ["tests"]}, env),
        ({"type": "unit", "number": 0}, body),
        attempt(0, 0, seekable=True),
        draw(1, focus="a"),
        draw(1, focus="b"),
    )
    assert [answers[0][0]["differs"] for answers in (ours, theirs)] == [False, True]


def test_what_is_no_frame_says_why() -> None:
    env = {"api": "pettingzoo-parallel", "module": "tests.replay.test_worker_serve", "function": "Painted"}
    env["kwargs"] = {"drawn": "words"}  # type: ignore[assignment]
    *_, drawn = converse(
        ({"type": "make", "allowed": ["tests"]}, env),
        ({"type": "unit", "number": 0}, {"reset": {}, "turns": []}),
        attempt(0, 0, seekable=True),
        draw(0),
    )
    assert drawn[0] == (
        {"type": "frame", "turn": 0, "differs": False, "why": "render gave str, not an array of uint8"},
        b"",
    )
    assert drawn[1][0] == {"type": "done"}


def test_nothing_is_played_before_an_environment_is_made_and_errors_are_not_the_end(
    capfd: pytest.CaptureFixture[str],
) -> None:
    early, unknown, made = converse(attempt(0, 0), ({"type": "dance"}, None), MAKE)
    assert only(early)["text"] == "RuntimeError: no environment was made yet"
    assert only(unknown)["kind"] == "failed"
    assert "_on_dance" in only(unknown)["text"]
    assert only(made)["type"] == "done"
    assert "Traceback" in capfd.readouterr().err


def test_another_environment_takes_the_place_of_the_first() -> None:
    *_, answers = converse(MAKE, unit(0), MAKE, attempt(0, 0))
    assert only(answers)["text"] == "KeyError: 0"  # its units are gone with it


def test_while_it_works_it_says_so_but_not_at_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(np.arange(5, 99, 0.15).tolist())  # each look at the clock takes a while
    monkeypatch.setattr(serve, "time", SimpleNamespace(monotonic=lambda: next(now)))
    *_, answers = converse(MAKE, unit(0), unit(1), attempt(0, 1))
    told = [(header["done"], header["of"]) for header, _ in answers if header["type"] == "progress"]
    assert told == [(1, 3), (3, 3), (2, 3)]


def test_it_leaves_when_the_other_side_stops_within_a_message() -> None:
    theirs, ours = os.pipe()
    os.write(ours, wire.encode({"type": "make"}, b"{}")[:9])
    os.close(ours)
    answers = io.BytesIO()
    with os.fdopen(theirs, "rb", buffering=0) as file:
        Server(file, answers).run()
    answers.seek(0)
    assert (wire.read(answers) or ({}, b""))[0]["type"] == "hello"
    assert wire.read(answers) is None


@pytest.mark.parametrize(
    ("shape", "first"),
    [((2, 4, 3), [0, 1, 2]), ((2, 4, 4), [0, 1, 2]), ((2, 4, 1), [0, 0, 0]), ((2, 4), [0, 0, 0])],
    ids=str,
)
def test_frames_of_every_depth_are_sent_as_red_green_and_blue(shape: Any, first: list[int]) -> None:
    rgb = serve._rgb(np.arange(int(np.prod(shape)), dtype=np.uint8).reshape(shape))
    assert rgb.shape == (2, 4, 3)
    assert rgb.flags.c_contiguous
    assert rgb[0, 0].tolist() == first
    assert rgb[1, 3].tolist() == [value + int(rgb[1, 3, 0]) for value in first]


class Painted:
    """Two agents who act at once, drawn in one colour or in words."""

    def __init__(self, *, render_mode: str, drawn: Any = None) -> None:
        self.drawn, self.agents = drawn, ["a", "b"]

    def reset(self, seed: int | None = None) -> Any:
        return dict.fromkeys(self.agents, 0), {}

    def step(self, actions: dict[str, int]) -> Any:
        seen, no = dict.fromkeys(actions, 1), dict.fromkeys(actions, False)
        return seen, {agent: float(action) for agent, action in actions.items()}, no, no, {}

    def action_space(self, agent: str) -> Any:
        return gym.spaces.Discrete(5)

    def render(self) -> Any:
        return np.zeros((2, 2, 3), np.uint8) if self.drawn is None else self.drawn

    def close(self) -> None:
        pass


def lake(number: int) -> Request:
    taken_unit = taken.single(gym.make("FrozenLake-v1", is_slippery=False), [2, 1, 1])
    return {"type": "unit", "number": number}, {name: getattr(taken_unit, name) for name in Unit.__slots__}


def test_scenes_come_for_any_turn_also_of_what_was_made_without_frames() -> None:
    described = {"api": "gymnasium", "id": "FrozenLake-v1", "kwargs": {"is_slippery": False}}
    wanted = {"type": "scene", "turns": [3, 0, 1]}
    *_, attempted, sent = converse(
        ({"type": "make", "frames": False}, described),
        lake(0),
        attempt(0, 0, seekable=True),
        (wanted, None),
    )
    assert only(attempted)["scene"] is True
    assert [header.get("turn") for header, _ in sent] == [3, 0, 1, None]
    assert not any(header.get("differs") for header, _ in sent)
    rows = ["row 2, column 2", "row 1, column 1", "row 1, column 2"]
    for (_, body), where in zip(sent, rows, strict=False):
        assert where in decode(body).says


def test_an_environment_nobody_knows_a_scene_of_has_none() -> None:
    *_, attempted, sent = converse(
        MAKE, unit(0), attempt(0, 0, seekable=True), ({"type": "scene", "turns": [1]}, None)
    )
    assert only(attempted)["scene"] is False
    assert [(header["type"], body) for header, body in sent] == [("scene", b""), ("done", b"")]
