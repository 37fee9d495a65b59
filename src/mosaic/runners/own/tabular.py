"""The card of `tabular`: Q-learning and SARSA in a table, with numpy. The default runner; needs no torch."""

from __future__ import annotations

from mosaic.protocol.cards import Algorithm, Capabilities, Parameter, RunnerCard
from mosaic.runners.runner import DriverRunner

__all__ = ["RUNNER"]

_EXPLORING, _SAVING = "Exploration", "Checkpoints"

_PARAMETERS = [
    Parameter(
        name="learning_rate", type="float", default=0.1, minimum=0, exclusive_minimum=True, maximum=1,
        group="Learning", help="How far each value moves towards what was seen.",
    ),
    Parameter(
        name="gamma", type="float", default=0.99, minimum=0, maximum=1, group="Learning",
        help="What a reward one step later is worth.",
    ),
    Parameter(
        name="initial_value", type="float", default=0.0, group="Learning", advanced=True,
        help="What every action is worth at first. High values make it try everything.",
    ),
    Parameter(
        name="epsilon_start", type="float", default=1.0, minimum=0, maximum=1, group=_EXPLORING,
        help="How often it acts at random in the beginning.",
    ),
    Parameter(
        name="epsilon_end", type="float", default=0.01, minimum=0, maximum=1, group=_EXPLORING,
        help="How often it acts at random in the end.",
    ),
    Parameter(
        name="epsilon_fraction", type="float", default=0.6, minimum=0, maximum=1, group=_EXPLORING,
        help="The part of the training after which that end is reached.",
    ),
    Parameter(
        name="epsilon_schedule", type="choice", default="linear", choices=["linear", "exponential"],
        group=_EXPLORING, advanced=True, help="The way from the first value to the last.",
    ),
    Parameter(
        name="checkpoint_every", type="int", minimum=1, optional=True, group=_SAVING,
        help="Steps between checkpoints; none: a fifth of the training.",
    ),
    Parameter(
        name="keep_checkpoints", type="int", default=3, minimum=1, group=_SAVING, advanced=True,
        help="How many checkpoints on cadence are kept; best, final and stop always are.",
    ),
    Parameter(
        name="log_every", type="int", default=500, minimum=1, advanced=True,
        help="Steps between logged metrics.",
    ),
]  # fmt: skip


def _algorithm(name: str, title: str, text: str) -> Algorithm:
    return Algorithm(
        id=name,
        title=title,
        help=text,
        parameters=_PARAMETERS,
        actions=["Discrete"],
        observations=["Discrete"],
        default_steps=20_000,
        default_env="FrozenLake-v1",
    )


RUNNER = DriverRunner(
    RunnerCard(
        id="tabular",
        title="Tabular",
        help="Learns a table of action values with numpy. For environments with few, numbered states.",
        algorithms=[
            _algorithm("q_learning", "Q-learning", "Off-policy: learns what the best next action is worth."),
            _algorithm(
                "sarsa",
                "SARSA",
                "On-policy: learns what its own next action, exploration included, is worth.",
            ),
        ],
        capabilities=Capabilities(
            supports_warmstart=True,
            supports_resume=True,
            supports_checkpoint=True,
            supports_eval=True,
            supports_play=True,
            supports_pause=True,
        ),
        imports=["numpy", "gymnasium"],
        pickled_checkpoints=False,
    ),
    module="mosaic_worker.drivers.tabular",
)
