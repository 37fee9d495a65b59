"""Re-simulation of recorded episodes, in a disposable child. Needs numpy and the environment's own library.

Told everything over a pipe: it opens no store, no journal and no socket, and records nothing. It runs in the
interpreter the episode was recorded with, so it keeps to Python 3.8. `python .../replay/__main__.py` is the
child; docs/replay.md says what it is told and what it answers.
"""

from __future__ import annotations
