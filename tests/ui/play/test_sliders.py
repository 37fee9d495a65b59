"""Sliders of a continuous action: there for a Box alone, held under a tick, sent otherwise."""

from __future__ import annotations

from mosaic.protocol.hands import KeyMap, SeatNow
from tests.ui.play.conftest import Stage
from tests.ui.play.talking import now, offer

BOX = {"kind": "Box", "text": "Box(-2, 2)", "shape": [1], "low": [-2.0], "high": [2.0]}
MINE = SeatNow(actor="agent", operator="random", by="desktop", mine=True)


def test_a_discrete_action_has_no_sliders(stage: Stage) -> None:
    stage.open(offer(), now(MINE))
    assert not stage.bar.sliders.isVisible()


def test_a_slider_goes_from_bound_to_bound_and_says_its_gain(stage: Stage) -> None:
    stage.open(offer(keys=KeyMap(), space=BOX), now(MINE, pace="tick", fps=10.0))
    (slider,) = stage.bar.sliders.sliders
    assert stage.bar.sliders.isVisible()
    assert slider.toolTip() == "One step of the slider is 0.02"
    assert slider.accessibleName() == "Axis 0, -2 to 2"
    slider.setValue(150)
    assert stage.session.order() == {"do": "hold", "actor": "agent", "action": [1.0]}
    assert not stage.bar.sliders.send.isVisible()
    stage.say(now(MINE))
    assert slider.value() == 150
    stage.bar.sliders.send.click()
    assert stage.session.order() == {"do": "act", "actor": "agent", "action": [1.0]}
    stage.say(now())
    assert not stage.bar.sliders.isVisible(), "the seat is not ours any more"
