"""The three modes: one is chosen, another word is none."""

from __future__ import annotations

from mosaic.ui.play.model.modes import Modes


def test_another_mode_is_told_and_the_same_one_or_nonsense_is_not() -> None:
    modes = Modes("hybrid")
    told: list[str] = []
    modes.changed.connect(lambda: told.append(modes.mode))
    for mode in ("hybrid", "robot", "human", "agent"):
        modes.choose(mode)
    modes.next()
    assert told == ["human", "agent", "human"]
    assert Modes("nonsense").mode == "agent"
