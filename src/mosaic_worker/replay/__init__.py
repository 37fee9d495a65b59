"""Re-simulation of recorded episodes, in a disposable child. Needs numpy and the environment's own library.

It gets everything over a pipe: it opens no store, no journal and no socket, and records nothing. It runs in
the interpreter the episode was recorded with, so it keeps to Python 3.8. `python .../replay/__main__.py` is
the child; docs/replay.md lists the requests and the answers.
"""

from __future__ import annotations
