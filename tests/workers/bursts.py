"""Prints and records events as fast as it can: `bursts.py COUNT ACCOUNT [GATE]`.

Half are steps printed on stdout, in episodes of 1,000; half are metrics given to the recorder. With a gate it
waits after the first 100 metrics until that file is there. At the end it writes to ACCOUNT how many it made.
"""

import json
import os
import sys
import time
from pathlib import Path

import mosaic_worker

half, account = int(sys.argv[1]) // 2, Path(sys.argv[2])
run = mosaic_worker.start()
assert run.recording
recorded = 0
if len(sys.argv) > 3:
    for recorded in range(1, 101):
        run.metric("n", recorded - 1)
    while not os.path.exists(sys.argv[3]):
        time.sleep(0.01)
printed = 0
line = '{"type":"step","episode_id":"e%d","step":%d,"action":%d,"reward":%d.5,"truncated":%s,"t":%d}\n'
while recorded < half or printed < half:
    for number in range(recorded, min(recorded + 1000, half)):
        run.metric("n", number)
        recorded += 1
    lines = []
    for number in range(printed, min(printed + 1000, half)):
        episode, step = divmod(number, 1000)
        lines.append(line % (episode, step, number % 3, number, "true" if step == 999 else "false", number))
    data = "".join(lines).encode()
    while data:
        data = data[os.write(1, data) :]
    printed += len(lines)
account.write_text(json.dumps({"printed": printed, "recorded": recorded}))
