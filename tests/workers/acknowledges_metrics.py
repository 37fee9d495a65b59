"""Records metrics into many small segments, and says how many were acknowledged, whenever it is asked.

acknowledges_metrics.py      (a line on stdin: how many so far?)
"""

import os
import select
import sys

from mosaic_worker.recorder import Recorder

recorder = Recorder(os.environ["MOSAIC_RUN_DIR"], segment_bytes=16 << 10)
count = 0
while True:
    recorder.metric("count", count)
    count += 1
    if select.select([0], [], [], 0 if count % 20 else 0.001)[0]:
        if not os.read(0, 1):
            break
        sys.stdout.write(f"{count}\n")
        sys.stdout.flush()
