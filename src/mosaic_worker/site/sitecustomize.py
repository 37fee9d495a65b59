"""Runs first in every Python of a run: starts the recorder, then the sitecustomize this one stands before."""

from __future__ import annotations

import importlib.util
import os
import sys


def _start_recorder() -> None:
    if not os.environ.get("MOSAIC_RUN_DIR"):
        return
    try:
        from mosaic_worker.startup import begin

        begin()
    except Exception as error:  # noqa: BLE001  (our start-up must never keep the script from running)
        sys.stderr.write(f"mosaic: cannot record ({type(error).__name__}: {error}); the script runs on\n")


def _run_the_shadowed_one() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in sys.path:
        if os.path.abspath(folder or os.curdir) == here:
            continue
        path = os.path.join(folder, "sitecustomize.py")
        if os.path.isfile(path):
            spec = importlib.util.spec_from_file_location("sitecustomize", path)
            if spec is not None and spec.loader is not None:
                module = importlib.util.module_from_spec(spec)
                sys.modules["sitecustomize"] = module
                spec.loader.exec_module(module)
            return


_start_recorder()
_run_the_shadowed_one()
