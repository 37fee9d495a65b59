"""A hand in a running session: what it says arrives, what it reads is whole, and the end is told."""

from __future__ import annotations

import os
import select
import socket
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from mosaic.app.hands import Hands
from mosaic.errors import UsageError
from mosaic.paths import RunFolder
from mosaic.protocol.hands import Answer, Now, Offer, Said
from tests.by_hand import session

LAKE = {"env_id": "FrozenLake-v1", "env_arguments": {"is_slippery": False}}
PERSON = {"kind": "person", "name": "person"}


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path)


@pytest.fixture
def listening(folder: RunFolder) -> Iterator[socket.socket]:
    """Somebody who listens where a session would, and says what the test lets him say."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder.path / "session.sock"))
        listener.listen()
        yield listener


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_session_offers_tells_and_answers_by_number(tmp_path: Path) -> None:
    with session(tmp_path / "home", seats={"*": PERSON}, seeds=[[1, 1]], **LAKE) as me:
        with Hands(me.folder, name="other") as hands:
            first, second = hands.order("take"), hands.order("act", action=99)
            said: list[Said] = []
            while not any(isinstance(one, Answer) and one.id == second for one in said):
                assert select.select([hands], [], [], 60)[0], "the session says nothing"
                said += hands.read()
            assert isinstance(said[0], Offer)
            assert [one.id for one in said if isinstance(one, Answer)] == [first, second]
            answers = {one.id: one.refused for one in said if isinstance(one, Answer)}
            assert not answers[first]
            assert "99" in answers[second]
            me.until(lambda now: now.seats[0].by == "other")
        me.until(lambda now: now.seats[0].by == "person")  # who leaves gives everything back
        me.leave()


def test_what_was_said_before_the_end_is_read_and_then_the_end(tmp_path: Path) -> None:
    with session(tmp_path / "home", seats={"*": PERSON}, seeds=[[1, 1]], **LAKE) as me:
        with Hands(me.folder, name="other") as hands:
            me.until(lambda now: now.seats[0].waits)
            me.leave()
            said = hands.read()
            assert hands.ended
            assert isinstance(said[-1], Now)
            assert hands.read() == []
        with pytest.raises(UsageError, match=f"nobody listens in run {me.folder.run_id}"):
            Hands(me.folder, name="late")


@pytest.mark.parametrize(
    "there", ["nothing", "a folder without a socket", "a file", "what a killed one left"]
)
def test_where_nobody_listens_is_said_and_nothing_stays_open(folder: RunFolder, there: str) -> None:
    path = folder.path / "session.sock"
    if there == "nothing":
        folder = RunFolder(folder.path / "none")
    elif there == "a file":
        path.touch()
    elif there == "what a killed one left":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
    before = descriptors()
    with pytest.raises(UsageError, match="does not play a session now") as caught:
        Hands(folder, name="me")
    assert descriptors() == before, caught  # the error is still held: nothing was closed by its end
    assert folder.run_id in str(caught.value)


def test_a_line_that_comes_in_pieces_is_read_once_it_is_whole(
    folder: RunFolder, listening: socket.socket
) -> None:
    with Hands(folder, name="me") as hands, listening.accept()[0] as door:
        assert hands.read() == []
        line = msgspec.json.encode(Answer(id=7, refused="no")) + b"\n"
        door.sendall(line + line[:9])
        assert hands.read() == [Answer(id=7, refused="no")]
        assert hands.read() == []
        door.sendall(line[9:] + line)
        assert hands.read() == [Answer(id=7, refused="no")] * 2
        assert not hands.ended
        door.sendall(line[:9])
        door.close()
        assert hands.read() == []
        assert hands.ended


def test_who_orders_something_of_a_session_that_is_gone_is_told(
    folder: RunFolder, listening: socket.socket
) -> None:
    with Hands(folder, name="me") as hands:
        listening.accept()[0].close()
        assert hands.order("pause") == 1
        assert hands.ended


def test_an_order_that_does_not_exist_is_not_sent(folder: RunFolder, listening: socket.socket) -> None:
    with Hands(folder, name="me") as hands, listening.accept()[0] as door:
        with pytest.raises(msgspec.ValidationError):
            hands.order("fly")  # type: ignore[arg-type]
        door.setblocking(False)
        assert door.recv(1 << 16) == b'{"hands":1,"name":"me"}\n'
        with pytest.raises(BlockingIOError):
            door.recv(1)
