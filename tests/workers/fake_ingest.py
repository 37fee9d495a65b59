"""Speaks ingest's protocol and does nothing else; dies when told to watch a run called DIE."""

import json
import os
import sys

for line in sys.stdin:
    order = json.loads(line)
    run_id = order["run_dir"].rpartition("/")[2]
    if run_id == "DIE":
        os._exit(1)
    if run_id == "NOISE":
        print("this is no JSON", flush=True)
    done = "rebuild" if order["cmd"] == "rebuild" else None
    summary = {"store_seq": os.getpid(), "last_return": "NaN", "env_ids": ["X-v0"], "later": 1}
    answer = {
        "run_id": run_id,
        "summary": summary,
        "settled": run_id == "SETTLED",
        "error": None,
        "done": done,
    }
    if run_id == "BROKEN":
        answer.update(summary=None, error="no room")
    if order["cmd"] != "forget":
        print(json.dumps(answer), flush=True)
