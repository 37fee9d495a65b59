"""Ignores SIGINT, SIGTERM and SIGHUP, and so do the children it hides: one setsid'd, one double-forked."""

import os
import signal
import sys
import time
from pathlib import Path

for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
notes = Path(sys.argv[1])


def note() -> None:
    (notes / f"{os.getpid()}.pid").touch()


if os.fork() == 0:
    os.setsid()
    note()
    time.sleep(60)
    os._exit(0)
middle = os.fork()
if middle == 0:
    os.setsid()
    if os.fork() == 0:
        note()
        time.sleep(60)
    os._exit(0)
os.waitpid(middle, 0)
note()
time.sleep(60)
