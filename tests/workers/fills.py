"""Records text until it has recorded as many pieces as it is told; keeps count on another disk.

`fills.py COUNT ACCOUNT`: pieces of 2,000 bytes, a few MiB a second at most, so that a watcher can keep up.
"""

import os
import sys
import time

import mosaic_worker

run = mosaic_worker.start()
assert run.recording
account = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT, 0o600)
for number in range(int(sys.argv[1])):
    run.note(f"{number} " + "x" * 2000)
    os.pwrite(account, b"%020d" % (number + 1), 0)
    if number % 4 == 0:
        time.sleep(0.001)
