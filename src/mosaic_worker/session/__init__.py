"""Playing: a world (an environment), seats (an operator for each actor), supervisors, and the one loop.

Whatever plays in a worker plays here: evaluations, branches, the probe, tabular training; a replay feeds its
records to the same worlds. Standard library; an environment's packages are imported by whoever made it.
"""

from __future__ import annotations
