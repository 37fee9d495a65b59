"""Writing Minari datasets, in an interpreter that has minari. Gets everything over a pipe; replays nothing.

`python .../dataset/__main__.py` is the child that `mosaic export --format minari` starts.
"""

from __future__ import annotations
