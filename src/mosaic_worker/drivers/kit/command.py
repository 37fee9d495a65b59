"""A driver's command line: runs a driver with the job in its words. Imports no framework.

What the words mean stands in `mosaic_worker.common.words`, which the workbench writes them with.
"""

from __future__ import annotations

import sys
from typing import Callable, List, Optional

from mosaic_worker.common.words import Refused, Words, parse

__all__ = ["Refused", "Words", "main", "parse", "say"]


def main(work: Callable[[Words], Optional[int]], words: Optional[List[str]] = None) -> int:
    """Run a driver: 0 when it went well; 2, with a sentence on stderr, when the job cannot be done."""
    try:
        return work(parse(sys.argv[1:] if words is None else words)) or 0
    except Refused as error:
        sys.stderr.write(f"{error}\n")
        return 2


def say(text: str) -> None:
    """One line for the person who reads the run's output."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
