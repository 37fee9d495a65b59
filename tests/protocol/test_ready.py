"""Structs on several threads: decoded for the first time by all of them at once."""

from __future__ import annotations

import subprocess
import sys

AT_ONCE = """
import importlib, sys, threading
import msgspec

sys.setswitchinterval(1e-6)
for _ in range(80):
    for name in [name for name in sys.modules if name.startswith("mosaic.protocol")]:
        del sys.modules[name]
    card = importlib.import_module("mosaic.protocol.cards").RunnerCard
    manifest = importlib.import_module("mosaic.protocol.runs").Manifest
    gate = threading.Barrier(6)

    def work():
        gate.wait()
        msgspec.convert({"id": "x", "title": "x", "algorithms": [{"id": "y"}]}, card)
        msgspec.convert({"spec": {"run_id": "x", "command": [], "cwd": "/"}, "created": 1.0}, manifest)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_that_are_the_first_to_read_a_kind_of_record_do_not_crash() -> None:
    command = [sys.executable, "-c", AT_ONCE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stderr
