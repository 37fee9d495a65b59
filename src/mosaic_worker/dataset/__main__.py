"""The writing child: requests on standard input, answers on what was standard output.

Whatever a library prints goes to standard error, so that it cannot be mistaken for an answer.
"""

from __future__ import annotations

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def main() -> None:
    """Serve until the other side is gone."""
    # Started as a file: what lies beside it must not be found as top-level modules.
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or os.curdir) != _HERE]
    site = os.path.dirname(os.path.dirname(_HERE))
    if site not in sys.path:
        sys.path.insert(0, site)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    from mosaic_worker.dataset.serve import Server

    with os.fdopen(os.dup(0), "rb", buffering=0) as requests:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        Server(requests, answers).run()


if __name__ == "__main__":
    main()
