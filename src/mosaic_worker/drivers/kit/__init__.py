"""What a driver is made of, for people who write one: the command line, stopping, saving, loading, reporting.

Everything else under `mosaic_worker.drivers` may change; these names stay. Imports no framework.
"""

from __future__ import annotations

from mosaic_worker.drivers.kit.command import Refused, Words, main, say
from mosaic_worker.drivers.kit.envs import make as make_env
from mosaic_worker.drivers.kit.evaluating import Played, report
from mosaic_worker.drivers.kit.loading import opened
from mosaic_worker.drivers.kit.saving import Saver
from mosaic_worker.drivers.kit.stopping import Insisted, Stop

__all__ = [
    "Insisted",
    "Played",
    "Refused",
    "Saver",
    "Stop",
    "Words",
    "main",
    "make_env",
    "opened",
    "report",
    "say",
]
