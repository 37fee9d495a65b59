"""Says it is ready, then sleeps until it is ended. Ends politely on SIGINT."""

import os
import sys
import time
from pathlib import Path

Path(sys.argv[1]).write_text(str(os.getpid()))
try:
    time.sleep(60)
except KeyboardInterrupt:
    sys.exit(130)
