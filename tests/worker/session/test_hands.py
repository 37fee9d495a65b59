"""The socket of a session: who comes, who says what, who reads nothing. `Control` is tested by itself."""

from __future__ import annotations

import json
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import pytest

from mosaic_worker.session.control import NOTHING, Control, Cut, Hand
from mosaic_worker.session.hands import Hands

SPACE = gym.spaces.Discrete(4)


class Clock:
    """Time that passes by itself, a little at every look."""

    now = 100.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


class Session:
    """Hands on a folder, and clients of it."""

    def __init__(self, folder: Path, **how: Any) -> None:
        self.hand = Hand("", operator="random", space=SPACE)
        self.hand.see(SimpleNamespace(step=0, returned=0.0, rule=None))  # type: ignore[arg-type]
        self.control = Control({"": self.hand})
        self.stopped = False
        self.folder = folder
        self.hands = Hands(self.control, offer={"env_id": "X-v0"}, stop=lambda: self.stopped, **how)
        self.hands.open(str(folder))
        self.clients: list[socket.socket] = []

    def client(self, first: bytes | None = b'{"hands": 1, "name": "me"}\n') -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(10)
        made.connect(str(self.folder / "session.sock"))
        self.clients.append(made)
        if first is not None:
            made.sendall(first)
        for _ in range(3):
            self.hands.serve(0.0)
        return made

    def say(self, client: socket.socket, **order: Any) -> list[dict[str, Any]]:
        client.sendall(json.dumps(order).encode() + b"\n")
        self.hands.serve(1.0)
        self.hands.tell()
        return self.heard(client)

    @staticmethod
    def heard(client: socket.socket) -> list[dict[str, Any]]:
        client.setblocking(False)
        found = b""
        try:
            while data := client.recv(1 << 16):
                found += data
        except BlockingIOError:
            pass
        return [json.loads(line) for line in found.splitlines()]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session(tmp_path, clock=Clock())
    yield made
    made.hands.close()
    for client in made.clients:
        client.close()


def test_the_socket_is_the_owners_alone_and_gone_in_the_end(session: Session) -> None:
    path = session.folder / "session.sock"
    assert stat.S_ISSOCK(path.stat().st_mode)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    session.hands.close()
    assert not path.exists()
    session.hands.close()  # twice is fine


def test_what_a_killed_session_left_behind_is_replaced(session: Session, tmp_path: Path) -> None:
    again = Session(tmp_path)
    again.client()
    again.hands.close()
    for client in again.clients:
        client.close()


def test_a_folder_with_a_long_name_is_no_obstacle(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 200)
    long.mkdir()
    made = Session(long)
    assert (long / "session.sock").exists()
    made.hands.close()


def test_a_client_is_told_what_there_is_then_how_it_stands(session: Session) -> None:
    client = session.client()
    session.hands.tell()
    offer, now = session.heard(client)
    assert (offer["type"], offer["session"], offer["env_id"]) == ("offer", 1, "X-v0")
    assert (now["type"], now["seats"][0]["operator"]) == ("now", "random")


def test_every_order_is_answered_by_its_number_and_news_follow(session: Session) -> None:
    client = session.client()
    session.heard(client)
    found = session.say(client, id=7, do="take")
    assert found[0] == {"type": "answer", "id": 7}
    assert found[1]["seats"][0]["mine"] is True
    [refused] = session.say(client, id=8, do="act", action=9)
    assert refused == {"type": "answer", "id": 8, "refused": "9, which is not an action of Discrete(4)"}


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (b"hello\n", "that is no JSON object"),
        (b"[1]\n", "that is no JSON object"),
        (b"\xff\xfe\n", "that is no JSON object"),
        (b'{"hands": 2, "name": "me"}\n', "say first"),
        (b'{"do": "take"}\n', "say first"),
    ],
)
def test_who_speaks_another_language_is_told_and_sent_away(session: Session, first: bytes, why: str) -> None:
    client = session.client(first)
    [said] = session.heard(client)
    assert why in said["refused"]
    client.setblocking(True)
    assert client.recv(1) == b""


def test_a_line_without_end_sends_its_client_away_and_harms_nobody(session: Session) -> None:
    other = session.client()
    client = session.client()
    session.heard(other)
    client.setblocking(False)
    sent = 0
    try:
        while sent < 4 << 20:
            sent += client.send(b"x" * (1 << 16))
            session.hands.serve(0.0)
    except (BrokenPipeError, ConnectionResetError):
        pass
    assert sent < 4 << 20
    assert session.say(other, id=1, do="take")[0] == {"type": "answer", "id": 1}


def test_who_does_not_read_is_not_waited_for_and_told_the_latest_when_he_does(session: Session) -> None:
    client = session.client()
    for tick in range(20_000):
        session.control.tick = tick
        session.control.changes += 1
        session.hands.tell()
    found: list[dict[str, Any]] = []
    for _ in range(50):
        found += session.heard(client)
        session.hands.serve(0.0)
        session.hands.tell()
    ticks = [one["tick"] for one in found if one["type"] == "now"]
    assert ticks == sorted(ticks)
    assert len(ticks) < 20_000
    assert ticks[-1] == 19_999


def test_whoever_leaves_has_let_go_of_everything(session: Session) -> None:
    client = session.client()
    session.say(client, id=1, do="take")
    session.say(client, id=2, do="hold", action=3)
    assert session.hand.played
    client.close()
    session.hands.serve(1.0)
    assert (session.hand.owner, session.hand.held) == (None, NOTHING)


def test_who_asks_and_asks_and_never_reads_is_sent_away(session: Session) -> None:
    client, other = session.client(), session.client()
    session.say(client, id=1, do="take")
    order = json.dumps({"id": 2, "do": "x" * 900_000}).encode() + b"\n"  # the answer says what there is not
    client.setblocking(False)
    asked = 0
    while session.hand.owner is not None:
        assert asked < 64, "4 MiB are not read, and it is still here"
        rest = memoryview(order)
        while rest and session.hand.owner is not None:
            with suppress(BlockingIOError, BrokenPipeError, ConnectionResetError):
                rest = rest[client.send(rest) :]
            session.hands.serve(0.0)
        asked += 1
    assert session.say(other, id=3, do="take")[-1]["seats"][0]["mine"] is True


def test_a_name_is_as_long_as_others_can_read_it(session: Session) -> None:
    client = session.client(json.dumps({"hands": 1, "name": "x" * 500}).encode() + b"\n")
    session.say(client, id=1, do="take")
    assert session.control.now(0)["seats"][0]["by"] == "x" * 80


def test_there_is_room_for_so_many_and_the_next_is_told(tmp_path: Path) -> None:
    made = Session(tmp_path, most_clients=2)
    try:
        made.client()
        made.client()
        third = made.client(None)
        assert made.heard(third)[0]["refused"] == "2 are here already"
    finally:
        made.hands.close()
        for client in made.clients:
            client.close()


def test_news_come_some_times_a_second_while_it_runs_and_at_once_when_it_waits(session: Session) -> None:
    client = session.client()
    session.hands.tell()
    session.heard(client)
    for _ in range(10):  # some milliseconds of the clock
        session.control.changes += 1
        session.hands.tell(always=False)
    assert session.heard(client) == []
    session.hands.tell()
    assert len(session.heard(client)) == 1
    session.hands.tell()
    assert session.heard(client) == []  # nothing has changed


def test_paused_the_next_tick_waits_for_an_order(session: Session) -> None:
    client = session.client()
    session.say(client, id=1, do="pause")
    waits: list[int] = []

    def each_round() -> None:
        waits.append(1)
        if len(waits) == 3:
            client.setblocking(True)
            client.sendall(b'{"id": 2, "do": "step"}\n')

    session.hands.each_round.append(each_round)
    session.hands.wait({})
    assert 3 <= len(waits) <= 4
    assert session.control.tick == 0


def test_a_cut_leaves_the_wait_and_is_obeyed_once(session: Session) -> None:
    client = session.client()
    session.say(client, id=1, do="reset", seed=5)
    with pytest.raises(Cut) as cut:
        session.hands.wait({})
    assert cut.value.seed == 5
    session.hands.wait({})


def test_a_cut_leaves_a_pause_too(session: Session) -> None:
    client = session.client()
    session.say(client, id=1, do="pause")
    client.setblocking(True)
    session.hands.each_round.append(lambda: client.sendall(b'{"id": 2, "do": "quit"}\n'))
    with pytest.raises(Cut) as cut:
        session.hands.wait({})
    assert cut.value.quit


def test_a_stop_ends_every_wait(session: Session) -> None:
    session.control.paused = True
    session.hands.each_round.append(lambda: setattr(session, "stopped", True))
    with pytest.raises(Cut) as cut:
        session.hands.wait({})
    assert cut.value.quit
    session.stopped = False
    session.hand.person = True
    with pytest.raises(Cut) as cut:
        session.hands.person(session.hand)
    assert cut.value.quit


def test_a_seat_that_nobody_has_any_more_is_not_waited_for(session: Session) -> None:
    client = session.client()
    session.say(client, id=1, do="take")
    seen: list[bool] = []

    def each_round() -> None:
        seen.append(session.hand.waits)
        if len(seen) == 2:
            client.close()

    session.hands.each_round.append(each_round)
    assert session.hands.person(session.hand) is NOTHING
    assert seen[0] is True
    assert session.hand.waits is False


def test_ticks_come_in_time(tmp_path: Path) -> None:
    clock = Clock()
    (tmp_path / "timed").mkdir()
    timed = Session(tmp_path / "timed", clock=clock)
    timed.control.pace, timed.control.fps = "tick", 10.0
    timed.hands.wait({})
    before = clock.now
    timed.hands.each_round.append(lambda: setattr(clock, "now", clock.now + 0.03))
    timed.hands.wait({})
    assert clock.now - before >= 0.1 - 0.01
    timed.hands.close()


def test_as_fast_as_it_can_orders_are_looked_for_now_and_then(session: Session) -> None:
    client = session.client()
    looked: list[int] = []
    session.hands.each_round.append(lambda: looked.append(1))
    client.sendall(b'{"id": 1, "do": "take"}\n')
    for _ in range(40):  # each takes a millisecond of the clock
        session.hands.wait({})
    assert session.hand.owner is not None
    assert 2 <= len(looked) <= 20


def test_a_tick_begins_anew_after_somebody_was_waited_for(session: Session) -> None:
    session.control.pace, session.control.fps = "tick", 0.1
    client = session.client()
    session.say(client, id=1, do="take")
    session.hands.wait({})
    client.setblocking(True)
    session.hands.each_round.append(lambda: client.sendall(b'{"id": 2, "do": "act", "action": 1}\n'))
    assert session.hands.person(session.hand) == 1
    session.hands.each_round[:] = [lambda: pytest.fail("it waits for the rest of ten seconds")]
    session.hands.wait({})


def test_an_ended_episode_is_looked_at_until_a_key_is_pressed(session: Session) -> None:
    client = session.client()
    session.say(client, id=1, do="take")
    session.say(client, id=2, do="act", action=1)  # before the end: not meant for it
    rounds: list[int] = []

    def each_round() -> None:
        rounds.append(1)
        if len(rounds) == 3:
            client.setblocking(True)
            client.sendall(b'{"id": 3, "do": "act", "action": 0}\n')

    session.hands.each_round.append(each_round)
    session.hands.linger(3600.0)
    assert 3 <= len(rounds) <= 4


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    made = Session(tmp_path)
    made.client().close()
    made.hands.serve(0.1)
    made.client()
    made.hands.close()
    for client in made.clients:
        client.close()
    assert len(os.listdir("/proc/self/fd")) == before
