"""`python -m mosaic_worker.drivers.cleanrl`: see `launcher`."""

from __future__ import annotations

import sys

from mosaic_worker.drivers.cleanrl.launcher import main
from mosaic_worker.drivers.kit.stopping import leave

if __name__ == "__main__":
    leave(main(sys.argv[1:]))
