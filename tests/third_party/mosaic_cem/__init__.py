"""The card of `cem`: the cross-entropy method with a linear policy. Imports no framework."""

from mosaic.protocol.cards import Algorithm, Capabilities, Parameter, RunnerCard
from mosaic.runners.runner import DriverRunner

CARD = RunnerCard(
    id="cem",
    title="Cross-entropy method",
    help="Searches the weights of a linear policy. No gradients, no torch.",
    algorithms=[
        Algorithm(
            id="cem",
            title="CEM",
            help="Draw policies, keep the best, draw around them.",
            actions=["Discrete"],
            observations=["Box"],
            default_steps=20_000,
            parameters=[
                Parameter(name="population", type="int", default=20, minimum=4, help="Policies per round."),
                Parameter(
                    name="elite",
                    type="float",
                    default=0.25,
                    minimum=0.05,
                    maximum=0.5,
                    help="Part that is kept.",
                ),
                Parameter(
                    name="noise", type="float", default=0.2, minimum=0.0, help="Spread that always stays."
                ),
            ],
        )
    ],
    capabilities=Capabilities(supports_checkpoint=True, supports_eval=True),
    pickled_checkpoints=False,
)
RUNNER = DriverRunner(CARD, module="mosaic_cem.driver")
