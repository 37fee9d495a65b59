"""As many stubborn processes as it is told, in every hiding place there is; each leaves a note of itself.

They ignore SIGINT, SIGTERM, SIGHUP. Some lead sessions of their own, some are orphans by a double fork; some
have an empty environment and no open file but the standard ones, one is a zombie its parent never collects.
"""

import os
import signal
import sys
import time
from pathlib import Path

notes = Path(sys.argv[1])
count = int(sys.argv[2])
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)


def stay() -> None:
    (notes / f"{os.getpid()}.pid").touch()
    time.sleep(300)
    os._exit(0)


def forget_who_we_are() -> None:
    os.closerange(3, 1024)
    note = "import os, sys, time; open(f'{sys.argv[1]}/{os.getpid()}.pid', 'w').close(); time.sleep(300)"
    os.execve(sys.executable, [sys.executable, "-S", "-c", note, str(notes)], {})


for number in range(count - 1):
    hiding_place = number % 4
    if os.fork() == 0:
        if hiding_place == 1:
            os.setsid()
        elif hiding_place == 2:
            if os.fork() != 0:
                os._exit(0)
            os.setsid()
        elif hiding_place == 3:
            if os.fork() != 0:
                os._exit(0)
            os.setsid()
            forget_who_we_are()
        stay()
if os.fork() == 0:
    os._exit(0)
stay()
