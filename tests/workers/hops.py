"""Never the same process for long: forks, exits, and lets its child do the same, ignoring signals."""

import os
import signal
import sys
from pathlib import Path

for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    (Path(sys.argv[1]) / "hopping").touch()
    for _ in range(20_000):
        if os.fork() > 0:
            os._exit(0)
    os._exit(0)
signal.pause()
