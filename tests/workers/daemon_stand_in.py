"""A daemon's core without its network: submits the runs it is told, says so, and ticks until it is killed."""

import json
import sys
import time
from pathlib import Path

from mosaic.daemon.trainer import Trainer
from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunSpec
from mosaic.settings import Settings

home, ingest = Path(sys.argv[1]), sys.argv[2]
trainer = Trainer(
    DataRoot(home), Settings(max_running=64, disk_reserve_mib=0), ingest_command=[sys.executable, ingest]
)
trainer.start()
for line in sys.stdin:
    asked = json.loads(line)
    trainer.submit(RunSpec(run_id=asked["run_id"], command=asked["command"], cwd="/"), asked.get("env", {}))
print("submitted", flush=True)
while True:
    trainer.tick()
    time.sleep(0.05)
