"""The program of a branch: plays a recorded episode up to a step, then goes on. Recorded like any script.

Its one argument is a JSON file that says what is played (`playing_on.Plan`).
"""

from __future__ import annotations

import json
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def main(path: str) -> int:
    """Run the branch a file describes; the file is gone afterwards."""
    with open(path, "rb") as file:
        told = json.load(file)
    os.unlink(path)
    from mosaic_worker.replay.playing_on import Plan, play_on

    return play_on(Plan(**told))


if __name__ == "__main__":
    # Started as a file: what lies beside it must not be found as top-level modules.
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or os.curdir) != _HERE]
    from mosaic_worker.drivers.kit.stopping import leave

    leave(main(sys.argv[1]))
