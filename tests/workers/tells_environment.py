"""Writes the names of its variables and whether the secret arrived, never its value."""

import json
import os
import sys
from pathlib import Path

names = sorted(os.environ)
told = {
    "names": names,
    "secret_length": len(os.environ.get("API_KEY", "")),
    "path": os.environ.get("PYTHONPATH"),
}
Path(sys.argv[1]).write_text(json.dumps(told))
