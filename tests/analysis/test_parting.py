"""The first step at which two recorded episodes part."""

import base64
import zlib
from typing import Any

import numpy as np
import pytest

from mosaic.analysis.parting import RESET, Episode, Parting, Turn, fingerprint, parting


def _episode(actions: list[Any], *, reset: str | None = "r", **changes: Any) -> Episode:
    """Turns with these actions; `changes` maps `field_step` to another value."""
    turns = []
    for step, action in enumerate(actions):
        given: dict[str, Any] = {"action": action, "reward": 1.0, "observation": f"o{step}"}
        given |= {n.rpartition("_")[0]: v for n, v in changes.items() if n.endswith(f"_{step}")}
        turns.append(Turn(**given))
    return Episode(reset=reset, turns=turns)


def test_equal_episodes_do_not_part() -> None:
    assert parting(_episode([0, 1, 1]), _episode([0, 1, 1])) is None


def test_the_first_of_several_differences_counts_and_all_of_its_step_are_told() -> None:
    found = parting(_episode([0, 1, 1, 0]), _episode([0, 1, 0, 1], reward_2=2.0, observation_3="x"))
    assert found == Parting(step=2, what=("action", "reward"))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"reward_1": 1.0000000000000002}, "reward"),
        ({"reward_1": float("nan")}, "reward"),
        ({"observation_1": "other"}, "observation"),
        ({"ended_1": "terminated"}, "ended"),
    ],
)
def test_any_part_of_a_step_can_part(change: dict[str, Any], what: str) -> None:
    assert parting(_episode([0, 1, 1]), _episode([0, 1, 1], **change)) == Parting(step=1, what=(what,))


def test_the_beginning_of_another_parts_at_its_end() -> None:
    assert parting(_episode([0, 1]), _episode([0, 1, 1])) == Parting(step=2, what=("end",))
    assert parting(_episode([0, 1, 1]), _episode([])) == Parting(step=0, what=("end",))


def test_different_resets_part_before_the_first_step() -> None:
    found = parting(_episode([0], reset="r"), _episode([1], reset="s"))
    assert found == Parting(step=RESET, what=("observation",))


def test_what_was_not_recorded_is_not_compared() -> None:
    assert parting(_episode([0], reset=None), _episode([0], observation_0=None)) is None


def test_equal_nans_and_arrays_as_actions_do_not_part() -> None:
    action = {"nd": "<f4", "shape": [1], "b64": base64.b64encode(b"\0\0\x80?").decode()}
    nan = float("nan")
    assert parting(_episode([action], reward_0=nan), _episode([dict(action)], reward_0=nan)) is None


def test_an_array_recorded_whole_and_one_recorded_as_a_checksum_have_one_fingerprint() -> None:
    data = np.arange(6, dtype="<f4").tobytes()
    whole = {"nd": "<f4", "shape": [2, 3], "b64": base64.b64encode(data).decode()}
    checksum = {"nd": "<f4", "shape": [2, 3], "crc32": zlib.crc32(data)}
    assert fingerprint({"a": [whole]}) == fingerprint({"a": [checksum]})
    assert fingerprint(whole) != fingerprint({**checksum, "shape": [3, 2]})
    assert fingerprint(whole) != fingerprint({**checksum, "crc32": 1})
    assert fingerprint(None) is None
