"""Several configs as one, and as people read it."""

from __future__ import annotations

from mosaic.protocol.configs import flat, merge
from mosaic.protocol.events import Config, Log


def test_what_is_said_later_holds_and_what_is_not_said_again_stays() -> None:
    whole = merge(
        [
            Config(algo="ppo", seed=1, args={"lr": 0.1, "gamma": 0.9}),
            Log(text="in between"),
            Config(seed=2, env_id="CartPole-v1", args={"lr": 0.2}, seq=7, t=3.0),
        ]
    )
    assert (whole.algo, whole.seed, whole.env_id) == ("ppo", 2, "CartPole-v1")
    assert whole.args == {"lr": 0.2, "gamma": 0.9}
    assert (whole.t, whole.seq) == (3.0, None), "a sum is no line: it has no number"


def test_merging_leaves_the_events_as_they_are() -> None:
    first = Config(args={"lr": 0.1})
    merge([first, Config(args={"lr": 0.2})])
    assert first.args == {"lr": 0.1}


def test_nothing_said_is_an_empty_config() -> None:
    assert merge([]) == Config()
    assert flat(Config()) == {}


def test_numbers_are_shown_in_full() -> None:
    told = flat(Config(algo="ppo", seed=0, args={"lr": 0.00025123456789, "net": [64, 64], "name": "a\x1b"}))
    assert told == {"algo": "ppo", "seed": "0", "lr": "0.00025123456789", "net": "[64, 64]", "name": "a\x1b"}
