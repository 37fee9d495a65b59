from __future__ import annotations

from mosaic.replay.verdicts import Verdict, ways


def named(
    number: int, seeded: set[int], *, called: bool = True, preferred: str = ""
) -> list[tuple[str, int]]:
    before = max((k for k in seeded if k < number), default=0)
    found = ways(
        number, called=called, seeded=number in seeded, last_seeded=lambda: before, preferred=preferred
    )
    return [(way.name, way.start) for way in found if way.drawn]


def test_the_ladder_is_alone_then_from_the_seeded_reset_then_from_the_first() -> None:
    assert named(0, set()) == [("alone", 0)]
    assert named(5, set()) == [("alone", 5), ("chain from the first reset", 0)]
    assert named(5, {0}) == [("alone", 5), ("chain from the first reset", 0)]
    assert named(5, {0, 3}) == [
        ("alone", 5),
        ("chain from the seeded reset", 3),
        ("chain from the first reset", 0),
    ]
    assert named(5, {3, 5}) == [("alone", 5), ("chain from the first reset", 0)]


def test_steps_without_a_reset_of_their_own_are_only_had_by_the_chain() -> None:
    assert named(2, {0}, called=False) == [("chain from the first reset", 0)]


def test_the_way_that_worked_before_comes_first_and_frames_are_given_up_last() -> None:
    assert named(5, {3}, preferred="chain from the seeded reset")[0] == ("chain from the seeded reset", 3)
    every = ways(1, called=True, seeded=False, last_seeded=lambda: 0)
    assert [way.drawn for way in every] == [True, True, False, False]


def test_earlier_resets_are_asked_for_only_once_alone_was_not_exact_and_then_once() -> None:
    asked: list[int] = []

    def last_seeded() -> int:
        asked.append(1)
        return 3

    every = ways(5, called=True, seeded=False, last_seeded=last_seeded)
    assert next(every).name == "alone"
    assert asked == []
    assert [way.start for way in every] == [3, 0, 5, 3, 0]
    assert asked == [1]


def test_a_verdict_speaks() -> None:
    said = {"episode": 1, "episode_id": "e"}
    diverged = Verdict(
        episode=1, episode_id="e", status="diverged", step=-1, what="obs", recorded="1", now="2", reason="why"
    )
    assert diverged.sentence() == "diverged at its reset: obs was 1, is 2 (why)"
    assert not diverged.exact
    assert Verdict(**said, status="exact", way="alone").sentence() == "exact (alone)"  # type: ignore[arg-type]
