"""The layers of a PettingZoo environment, outermost first."""

from __future__ import annotations

from types import SimpleNamespace

from pettingzoo.utils import OrderEnforcingWrapper, aec_to_parallel

from mosaic_worker.layers import layers
from tests.worker.zoo import Counting


def test_wrappers_and_conversions_are_looked_through_to_the_environment_itself() -> None:
    base = Counting()
    wrapped = OrderEnforcingWrapper(base)
    assert layers(wrapped) == [wrapped, base]
    base.metadata = {**base.metadata, "is_parallelizable": True}
    assert layers(aec_to_parallel(wrapped))[1:] == [wrapped, base]


def test_an_environment_in_no_wrapper_is_its_only_layer() -> None:
    base = Counting()
    assert layers(base) == [base]


def test_a_wrapper_that_wraps_itself_ends_after_a_bounded_number_of_layers() -> None:
    ring = SimpleNamespace()
    ring.env = ring
    assert len(layers(ring)) == 32
