"""The real daemon on a machine whose clock jumps: at every reading the wall clock is somewhere else.

Forwards and backwards by up to ten years, from before the first import on. `jumpy_daemon.py HOME`, in the
foreground.
"""

import itertools
import sys
import time

YEAR_SECS = 365.25 * 86400
jumps = itertools.cycle([0.0, 10 * YEAR_SECS, -10 * YEAR_SECS, 3600.0, -3600.0, 86400.0])
straight, straight_nanos = time.time, time.time_ns
time.time = lambda: straight() + next(jumps)
time.time_ns = lambda: straight_nanos() + int(next(jumps) * 1e9)

from mosaic.daemon.__main__ import main  # noqa: E402

sys.exit(main(["--home", sys.argv[1], "--foreground"]))
