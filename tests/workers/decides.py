"""An operator with an account of its own: `decides.py PLACE` answers JSON lines, the simplest legal action.

`PLACE/pid` names its process. `PLACE/proposed` gets a line for every decision, before it is answered: how
often it was told to begin, the step, the action.
"""

import json
import os
import sys
from pathlib import Path

place = Path(sys.argv[1])
(place / "pid").write_text(str(os.getpid()))
account = os.open(place / "proposed", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
begun = 0
for line in sys.stdin:
    asked = json.loads(line)
    if asked["ask"] == "open":
        print('{"ready": true}', flush=True)
    elif asked["ask"] == "begin":
        begun += 1
    else:
        mask = asked["mask"]
        action = asked["step"] % 2 if mask is None else mask.index(1)
        os.write(account, b"%s\n" % json.dumps([begun, asked["step"], action]).encode())
        print(json.dumps({"id": asked["id"], "action": action}), flush=True)
