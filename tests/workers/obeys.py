"""Prints numbered events until it is told how to end; keeps its own account outside the run's folder.

In its folder: `starts` gets a line for every start, `count` says how many events it has printed, and `end` is
the order it waits for: `code 3` or `signal SIGSEGV`.
"""

import os
import resource
import signal
import sys
import time
from pathlib import Path

place = Path(sys.argv[1])
with open(place / "starts", "a") as starts:
    starts.write(f"{os.getpid()}\n")
tally = os.open(place / "count", os.O_WRONLY | os.O_CREAT, 0o600)
printed = 0
while not (place / "end").exists():
    os.write(1, b'{"type":"metric","name":"n","value":%d,"t":0}\n' % printed)
    printed += 1
    os.pwrite(tally, b"%020d" % printed, 0)
    time.sleep(0.05)
how, _, value = (place / "end").read_text().partition(" ")
if how == "code":
    os._exit(int(value))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
os.kill(os.getpid(), getattr(signal, value))
