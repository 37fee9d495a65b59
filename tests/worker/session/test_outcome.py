from __future__ import annotations

import pytest

from mosaic_worker.session.outcome import first_values, five_values


@pytest.mark.parametrize(
    ("done", "info", "flags"),
    [
        (False, {}, (False, False)),
        (True, {}, (True, False)),
        (True, {"TimeLimit.truncated": True}, (False, True)),
        (True, {"TimeLimit.truncated": False}, (True, False)),
        (False, {"TimeLimit.truncated": True}, (False, False)),
    ],
)
def test_the_time_limits_mark_tells_a_truncation_from_an_end(
    done: bool, info: dict[str, bool], flags: tuple[bool, bool]
) -> None:
    assert five_values(("obs", 1.0, done, info)) == ("obs", 1.0, *flags, info)


def test_todays_five_values_stay_as_they_are() -> None:
    assert five_values(("obs", 1.0, False, True, {"a": 1})) == ("obs", 1.0, False, True, {"a": 1})


def test_an_old_reset_gives_the_observation_alone() -> None:
    assert first_values(("obs", {"a": 1})) == ("obs", {"a": 1})
    assert first_values([1, 2]) == ([1, 2], {})
    assert first_values((1, 2)) == ((1, 2), {})
