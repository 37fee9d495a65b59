"""Run in a mount namespace of its own: the worker fills the disk; the run is stopped, its end recorded."""

import json
import os
import subprocess
import sys
from pathlib import Path

from mosaic.protocol.runs import Want
from mosaic.runs import folder as runs
from tests.daemon.keeping import order, shim_of, state, until

disk = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k,mode=0700", "none", str(disk)], check=True)
fill = f"cat /dev/zero > {disk}/fill 2> /dev/null; cat /dev/zero >> {disk}/fill 2> /dev/null; {sys.argv[2]}"
with shim_of(disk / "home", ["sh", "-c", fill]) as (folder, shim):
    until(lambda: os.statvfs(disk).f_bavail == 0)
    if sys.argv[2].startswith("sleep"):
        try:
            runs.write_manifest(folder, runs.read_manifest(folder))
            room = True
        except OSError:
            room = False
        order(folder, Want.STOP)
    else:
        room = False
    shim.wait(timeout=60)
    ended = json.loads(folder.exit.read_bytes())
    verdict = state(folder).value
print(json.dumps({"room": room, "state": verdict, "code": ended["code"], "stop_asked": ended["stop_asked"]}))
