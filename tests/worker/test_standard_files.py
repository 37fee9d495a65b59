from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import subprocess, sys
from mosaic_worker.standard_files import taken
requests, answers = taken()
print("a library talks", flush=True)
subprocess.run([sys.executable, "-c", "import sys; print('so does a child', sys.stdin.read() == '')"])
answers.write(requests.readline().upper())
answers.flush()
"""


def test_answers_are_all_that_goes_out_and_requests_are_read_by_nobody_else() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], input=b"ask\n", capture_output=True, check=True)
    assert done.stdout == b"ASK\n"
    assert done.stderr.splitlines() == [b"a library talks", b"so does a child True"]
