"""Ends at once with code 5 and leaves a child behind that wants to live on."""

import os
import sys
import time
from pathlib import Path

if os.fork() == 0:
    os.setsid()
    (Path(sys.argv[1]) / f"{os.getpid()}.pid").touch()
    time.sleep(60)
    os._exit(0)
while not list(Path(sys.argv[1]).glob("*.pid")):
    time.sleep(0.01)
os._exit(5)
