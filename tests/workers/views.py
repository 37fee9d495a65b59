"""A viewer: `views.py RUN wait|coalesce ACCOUNT` follows a run's metrics to its end, one batch at a time.

Makes ACCOUNT.live when it has caught up the first time; at the end writes to ACCOUNT all it got, and what it
was told it did not get.
"""

import json
import sys
from pathlib import Path

from mosaic.paths import data_root
from mosaic.rpc.launch import connect

account = Path(sys.argv[3])
got: dict[str, list[list[float]]] = {"rows": [], "skipped": []}
with connect(data_root(), start=False, wait_secs=30) as client:
    for batch in client.stream_metrics(sys.argv[1], credits=1, coalesce=sys.argv[2] == "coalesce"):
        if batch.skipped is not None:
            got["skipped"].append([batch.skipped.from_seq, batch.skipped.to_seq])
        got["rows"].extend([row.seq, row.value] for row in batch.rows)
        if batch.live:
            account.with_suffix(".live").touch()
account.with_suffix(".tmp").write_text(json.dumps(got))
account.with_suffix(".tmp").rename(account)
