"""Random generators, saved as JSON and restored to the same stream."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from mosaic_worker import rng


@pytest.mark.parametrize("name", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_every_numpy_generator_goes_on_where_it_was(name: str) -> None:
    generator = np.random.Generator(getattr(np.random, name)(3))
    generator.integers(0, 9, 3, dtype=np.uint32)  # leaves half a word behind
    saved = json.loads(json.dumps(rng.capture(generator)))
    expected = generator.random(20).tolist() + generator.integers(0, 9, 5, dtype=np.uint32).tolist()
    for again in (rng.restore(saved), rng.restore(saved, np.random.Generator(getattr(np.random, name)(0)))):
        assert again.random(20).tolist() + again.integers(0, 9, 5, dtype=np.uint32).tolist() == expected


def test_the_old_random_state_goes_on_too_with_its_half_used_gauss_pair() -> None:
    generator = np.random.RandomState(3)
    generator.normal()
    saved = json.loads(json.dumps(rng.capture(generator)))
    expected = generator.normal(size=5).tolist()
    assert rng.restore(saved).normal(size=5).tolist() == expected


def test_reading_the_state_does_not_move_the_stream() -> None:
    generator, untouched = np.random.default_rng(1), np.random.default_rng(1)
    rng.capture(generator)
    assert generator.random() == untouched.random()


@pytest.mark.parametrize("other", [None, 3, object()])
def test_anything_else_has_no_state_to_save(other: Any) -> None:
    assert rng.capture(other) is None


def test_an_emulator_that_cannot_say_its_state_does_not_cost_the_generator() -> None:
    class Emulator:  # as ale-py before 0.12: the bytes of its state are taken for text
        def cloneState(self, *, include_rng: bool) -> Emulator:
            assert include_rng
            return self

        def serialize(self) -> str:
            return b"\xff".decode()

    class Core:
        ale = Emulator()
        np_random = np.random.default_rng(3)

    saved = rng.capture_env(Core)
    assert saved is not None
    assert saved["lost"] == ["ale"]
    other = Core()
    other.np_random = np.random.default_rng(9)
    rng.restore_env(json.loads(json.dumps(saved)), other)
    assert other.np_random.random() == np.random.default_rng(3).random()


def test_a_state_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="got 'dice'"):
        rng.restore({"kind": "dice", "state": {}})
