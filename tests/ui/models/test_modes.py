"""Modes plug in."""

from __future__ import annotations

from mosaic.ui.models.modes import AGENT, Mode, Modes


def test_only_what_works_is_offered_and_more_can_be_added() -> None:
    modes = Modes()
    told: list[str] = []
    modes.changed.connect(lambda: told.append(modes.current.id))
    assert modes.all == [AGENT]
    modes.choose("human")
    assert modes.current is AGENT
    human = Mode("human", "Human", "You play")
    modes.add(human)
    modes.choose("human")
    assert modes.all == [AGENT, human]
    assert modes.current is human
    assert told == ["agent", "human"]
