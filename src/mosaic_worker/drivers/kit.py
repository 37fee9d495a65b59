"""What a driver is made of, for people who write one: the command line, stopping, saving, loading, reporting.

Everything else under `mosaic_worker.drivers` may change; these names stay. Imports no framework.
"""

from __future__ import annotations

from mosaic_worker.drivers._envs import make as make_env
from mosaic_worker.drivers._evaluating import Played, report
from mosaic_worker.drivers._loading import opened
from mosaic_worker.drivers._saving import Saver
from mosaic_worker.drivers._stopping import Insisted, Stop
from mosaic_worker.drivers._words import Refused, Words, main, say

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
