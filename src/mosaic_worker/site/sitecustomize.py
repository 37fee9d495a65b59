"""Runs first in every Python of a run: starts the recorder, then the sitecustomize this one stands before.

Every Python, also one that is too old to be recorded: this file alone must be readable by Python 2.7.
"""

import os
import sys

_OLDEST = (3, 8)


def _start_recorder():  # type: () -> None
    if not os.environ.get("MOSAIC_RUN_DIR"):
        return
    if sys.version_info < _OLDEST:
        seen, oldest = (".".join(map(str, version[:2])) for version in (sys.version_info, _OLDEST))
        sys.stderr.write(
            "mosaic: cannot record: this is Python %s (%s), and recording needs %s or newer; "
            "the script runs on\n" % (seen, sys.executable, oldest)
        )
        return
    try:
        from mosaic_worker.startup import begin

        begin()
    except Exception as error:  # noqa: BLE001  (our start-up must never keep the script from running)
        sys.stderr.write(
            "mosaic: cannot record (%s: %s); the script runs on\n" % (type(error).__name__, error)
        )


def _run_the_shadowed_one():  # type: () -> None
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in sys.path:
        if os.path.abspath(folder or os.curdir) == here:
            continue
        path = os.path.join(folder, "sitecustomize.py")
        if os.path.isfile(path):
            _run(path)
            return


def _run(path):  # type: (str) -> None
    if sys.version_info < _OLDEST:
        import imp  # gone from newer ones, as what they have is missing here

        imp.load_source("sitecustomize", path)
        return
    import importlib.util

    spec = importlib.util.spec_from_file_location("sitecustomize", path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_start_recorder()
_run_the_shadowed_one()
