"""Seeking: from keyframes, from environments that stand near, or from the start. On a small environment."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from mosaic_worker.replay import seek
from tests.replay.walking import fresh, played, recorded, seeker_of

if TYPE_CHECKING:
    from mosaic_worker.replay.seek import Seeker
    from mosaic_worker.replay.sims import SingleSim

ORDER = [60, 0, 31, 30, 29, 59, 1, 17, 44, 60, 2]


def straight_frames(seeker: Seeker) -> list[bytes]:
    """What every turn looks like to somebody who goes straight through, and draws each."""
    sim = seeker._fresh()
    sim.reset(seeker.unit)
    found = [sim.frame("").tobytes()]
    while sim.turn < seeker.turns:
        sim.step(seeker.unit)
        found.append(sim.frame("").tobytes())
    sim.close()
    return found


def keyframes(seeker: Seeker) -> list[int]:
    return [keyframe.turn for keyframe in seeker._keyframes]


def standing(seeker: Seeker) -> list[int]:
    return sorted(sim.turn for sim in seeker._sims)


@pytest.mark.parametrize(
    "kind",
    [{}, {"uncopyable": True}, {"hides": True}, {"placed": True}, {"placed": True, "uncopyable": True}],
    ids=str,
)
def test_every_turn_is_the_recorded_one_wherever_it_is_come_from(kind: dict[str, bool]) -> None:
    seeker = played(seeker_of(**kind))
    seeker.prove()
    for _ in seeker.spread(1.0):
        pass
    wanted = straight_frames(seeker)
    for turn in ORDER:
        sim, found = seeker.at(turn)
        assert (sim.turn, found) == (turn, [])
        assert sim.frame("").tobytes() == wanted[turn]
    assert len(seeker._sims) <= 4
    assert len(seeker._keyframes) <= 8
    seeker.close()


@pytest.mark.parametrize("where", ["hides", "veiled"])
def test_keyframes_of_an_environment_that_hides_something_are_not_believed(where: str) -> None:
    assert played(seeker_of()).prove()
    hiding = played(seeker_of(**{where: True}))
    assert not hiding.prove()
    assert not hiding.copyable
    assert standing(hiding) == []  # what its keyframes made of the environment is of no use


def test_a_keyframe_is_asked_for_only_after_enough_stepping_and_never_at_the_end() -> None:
    seeker = seeker_of(turns=6)
    sim = fresh()
    seeker.begin(sim)
    seeker._gap_secs = 1.0
    for secs in (0.4, 0.4, 0.4, 0.9, 0.2, 9.0):  # enough at the third turn, at the fifth, and at the last
        sim.step(seeker.unit)
        seeker.passed(sim, secs)
    assert keyframes(seeker) == [3, 5]
    sim.close()


def test_when_there_are_too_many_keyframes_every_second_one_goes_and_they_come_half_as_often() -> None:
    seeker = seeker_of(keyframes=4)
    before = seeker._gap_secs
    sim = fresh()
    seeker.begin(sim)
    for _ in range(5):
        sim.step(seeker.unit)
        seeker.passed(sim, 1.0)
    assert keyframes(seeker) == [1, 3, 5]
    assert seeker._gap_secs == 2 * before
    sim.close()


def test_a_snapshot_that_costs_far_more_than_the_stepping_it_saves_is_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seeker, sim = seeker_of(), fresh()
    seeker.begin(sim)
    spent = iter([0.0, seek._DEAR * 0.004, 0.0, seek._DEAR * 0.006])
    monkeypatch.setattr(seek, "time", SimpleNamespace(thread_time=lambda: next(spent)))
    seeker.passed(sim, 1.0)
    assert (len(seeker._keyframes), seeker.copyable) == (1, True)
    seeker.passed(sim, 1.0)
    assert (len(seeker._keyframes), seeker.copyable) == (0, False)
    seeker.passed(sim, 1.0)  # does not look at the clock any more
    sim.close()


@pytest.mark.parametrize(("draws", "camera"), [(True, 0.0), (False, -1.0)])
def test_the_first_frame_is_drawn_at_the_reset_only_if_frames_will_be_asked_for(
    draws: bool, camera: float
) -> None:
    seeker = seek.Seeker(recorded(placed=True), lambda: fresh(placed=True), draws=draws)
    sim, _ = seeker.at(5)
    assert sim.env.camera == camera
    seeker.close()


def test_a_keyframe_that_leads_astray_is_dropped_and_the_turn_is_found_without_it() -> None:
    seeker = played(seeker_of())
    wanted = straight_frames(seeker)
    assert seeker.prove()
    wrong = seeker._keyframes[3]
    wrong._saved[0][0]["total"] += 1.0
    turn = wrong.turn + 2
    sim, found = seeker.at(turn)
    assert (sim.turn, found) == (turn, [])
    assert sim.frame("").tobytes() == wanted[turn]
    assert wrong not in seeker._keyframes
    assert seeker.copyable  # the others may still be good
    seeker.close()


def test_an_environment_that_an_earlier_keyframe_spoilt_is_let_go_with_all_keyframes() -> None:
    seeker = played(seeker_of())
    assert seeker.prove()
    (sim,) = seeker._sims
    seeker._keyframes[3].put_back(sim)
    sim.env.total += 1.0
    spoilt = sim.turn
    after, found = seeker.at(spoilt + 1)
    assert (after.turn, found) == (spoilt + 1, [])
    assert after is not sim
    assert sim.env.closed
    assert not seeker.copyable
    seeker.close()


def test_a_difference_is_told_at_its_turn_however_often_it_is_asked_for_and_only_there() -> None:
    seeker = seeker_of()
    seeker.unit.turns[9][1] = 7.0
    order = (9, 10, 10, 11, 11, 10, 0)
    assert [bool(seeker.at(turn)[1]) for turn in order] == [turn == 10 for turn in order]
    ((whose, one),) = seeker.at(10)[1]
    assert (whose, one["what"], one["recorded"]) == ("", "reward", "7.0")
    seeker.close()


def test_the_nearest_of_keyframe_and_environment_is_taken() -> None:
    seeker = played(seeker_of())
    assert seeker.prove()
    far, near = keyframes(seeker)[0], keyframes(seeker)[-1]
    assert seeker._keyframe_for(near) is seeker._keyframes[-2]  # serves only the turns after it
    assert seeker._keyframe_for(60) is None  # the environment stands there already
    (sim,) = seeker._sims
    assert seeker.at(far + 1)[0] is sim  # put back, not made anew
    assert seeker._keyframe_for(far + 2) is None
    seeker.close()


def test_beyond_the_bound_the_environment_that_stands_closest_behind_another_goes() -> None:
    seeker = seeker_of(standing=3, uncopyable=True)
    made: list[SingleSim] = []
    seeker._fresh = lambda: made.append(fresh(uncopyable=True)) or made[-1]  # type: ignore[func-returns-value]
    for turn in (40, 30, 27):
        seeker.at(turn)
    assert standing(seeker) == [27, 30, 40]
    seeker.at(5)
    assert standing(seeker) == [5, 27, 40]
    assert [sim.env.closed for sim in made] == [False, True, False, False]
    seeker.close()
    assert all(sim.env.closed for sim in made)


def test_where_nothing_can_be_copied_environments_stand_evenly_along_the_way() -> None:
    seeker = played(seeker_of(standing=7, uncopyable=True))
    assert not seeker.copyable
    for _ in seeker.spread(10.0):
        pass
    assert standing(seeker) == [10, 20, 30, 40, 50, 60]
    assert [sim.env.camera for sim in seeker._sims] == [-1.0] * 6
    for _ in seeker.spread(10.0):
        pass
    assert standing(seeker) == [10, 20, 30, 40, 50, 60]  # one that stands there is not sent again
    seeker.close()


def test_spreading_pauses_after_every_slice_of_time() -> None:
    seeker = played(seeker_of(turns=12, standing=3, uncopyable=True))
    pauses = list(seeker.spread(-1.0))
    assert standing(seeker) == [6, 12]
    assert len(pauses) == 6
    seeker.close()


def test_with_keyframes_no_environment_is_sent_ahead() -> None:
    seeker = played(seeker_of())
    assert list(seeker.spread(10.0)) == []
    assert standing(seeker) == [60]
    seeker.close()


def test_an_environment_that_cannot_be_drawn_is_proved_by_its_values_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: Any) -> Any:
        raise NotImplementedError

    monkeypatch.setattr("tests.replay.walking.Walk.render", refuse)
    seeker = played(seeker_of())
    assert seeker.prove()
    seeker.close()
