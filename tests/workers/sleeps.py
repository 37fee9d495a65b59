"""Says it is ready, then sleeps until it is ended. Ends politely on SIGINT."""

import os
import sys
import time
from pathlib import Path

ready = Path(sys.argv[1])
ready.with_suffix(".tmp").write_text(str(os.getpid()))
ready.with_suffix(".tmp").rename(ready)
try:
    time.sleep(60)
except KeyboardInterrupt:
    sys.exit(130)
