"""The state an environment draws from: taken, put back, and the emulator's with it."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from mosaic_worker.rng import capture_env, restore_env


@pytest.mark.parametrize("made", [np.random.default_rng, np.random.RandomState])
def test_an_environment_draws_the_same_again(made: type) -> None:
    core = SimpleNamespace(np_random=made(4))
    saved = json.loads(json.dumps(capture_env(core)))
    first = (
        core.np_random.random(3).tolist()
        if made is np.random.default_rng
        else core.np_random.rand(3).tolist()
    )
    generator = core.np_random
    restore_env(saved, core)
    again = (
        core.np_random.random(3).tolist()
        if made is np.random.default_rng
        else core.np_random.rand(3).tolist()
    )
    assert again == first
    assert core.np_random is generator  # whoever else holds it draws the same too


def test_a_generator_of_another_kind_is_replaced() -> None:
    core = SimpleNamespace(np_random=np.random.Generator(np.random.MT19937(1)))
    saved = capture_env(core)
    assert saved is not None
    other = SimpleNamespace(np_random=np.random.default_rng(1))
    restore_env(saved, other)
    assert other.np_random.random() == core.np_random.random()


def test_the_emulators_state_goes_along() -> None:
    state = SimpleNamespace(serialize=lambda: b"emulator" * 100)
    core = SimpleNamespace(
        np_random=np.random.default_rng(1), ale=SimpleNamespace(cloneState=lambda *, include_rng: state)
    )
    saved = capture_env(core)
    assert saved is not None
    assert len(saved["ale"]) < 100


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="no state"):
        restore_env({"kind": "Generator"}, SimpleNamespace(np_random=np.random.default_rng(1)))
    assert capture_env(object()) is None
