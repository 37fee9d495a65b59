"""What a driver is made of, for people who write one: command line, stopping, saving, loading, playing.

Everything else under `mosaic_worker.drivers` may change; these names stay. Imports no framework.
"""

from __future__ import annotations

from mosaic_worker.drivers.kit.command import Refused, Words, main, say
from mosaic_worker.drivers.kit.envs import make as make_env
from mosaic_worker.drivers.kit.evaluating import Evaluation, evaluate, report
from mosaic_worker.drivers.kit.loading import opened
from mosaic_worker.drivers.kit.saving import Saver
from mosaic_worker.drivers.kit.serving import Surroundings, serve
from mosaic_worker.drivers.kit.stopping import Insisted, Stop
from mosaic_worker.operators import Choice, Learner, Operator, Policy
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.played import Played
from mosaic_worker.session.worlds import world_of

__all__ = [
    "Choice",
    "Evaluation",
    "Insisted",
    "Learner",
    "Operator",
    "Played",
    "Policy",
    "Refused",
    "Saver",
    "Stop",
    "Surroundings",
    "Until",
    "Words",
    "evaluate",
    "main",
    "make_env",
    "opened",
    "play",
    "report",
    "say",
    "serve",
    "world_of",
]
