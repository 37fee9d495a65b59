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
    from mosaic_worker.standard_files import taken

    requests, answers = taken()
    from mosaic_worker.dataset.serve import Server  # whatever it imports may print

    with requests:
        Server(requests, answers).run()


if __name__ == "__main__":
    main()
