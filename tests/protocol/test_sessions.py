from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mosaic.protocol.sessions import Seat, Session

SEATS = {"*": {"kind": "random", "name": "random"}}


def converted(**told: Any) -> Session:
    return msgspec.convert({"seats": SEATS, "seeds": [[1, 3]], **told}, Session)


def test_a_session_is_what_was_asked_and_survives_its_journey() -> None:
    session = converted(api="aec", fps=4.5, max_steps=9)
    assert session.seats == {"*": Seat(kind="random", name="random")}
    assert msgspec.json.decode(msgspec.json.encode(session), type=Session) == session
    assert b"deadline_secs" not in msgspec.json.encode(session)  # what is usual goes without saying


@pytest.mark.parametrize(
    "told",
    [
        {"seeds": []},
        {"seeds": [[1, 1]] * 1001},
        {"seeds": [[1]]},
        {"fps": 0},
        {"fps": 10_001},
        {"max_steps": 0},
        {"deadline_secs": 0},
        {"on_failure": "panic"},
        {"api": "vector"},
        {"seats": {"*": {"kind": "nobody", "name": "x"}}},
    ],
)
def test_what_no_session_is_like_is_refused(told: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        converted(**told)
