"""Many callers at once: processes that connect to the daemon, or submit a run, all at the same moment.

Each prints what it got as a JSON line: the daemon's pid, and the run's id when it submitted one.
"""

import json
import os
import sys
import time
import traceback

import mosaic.rpc.client  # noqa: F401  (slow to load: once, before the fork; nothing of gRPC is running yet)
from mosaic.paths import data_root
from mosaic.protocol.runs import RunSpec
from mosaic.rpc.launch import connect


def call(begin: float) -> None:
    time.sleep(max(0.0, begin - time.monotonic()))
    with connect(data_root(), wait_secs=60) as client:
        got: dict[str, object] = {"daemon": client.status().pid}
        if len(sys.argv) > 2:
            spec = RunSpec(run_id=sys.argv[2], command=sys.argv[3:], cwd="/")
            got["run_id"] = client.submit(spec, dict(os.environ)).run_id
    os.write(1, json.dumps(got).encode() + b"\n")


word = time.monotonic() + 0.2
callers = []
for _ in range(int(sys.argv[1])):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            call(word)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    callers.append(pid)
sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0 for pid in callers))
