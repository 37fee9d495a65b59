"""G11: a listed checkpoint is whole and has its recorded hash; an interrupted save harms none before it.

`strace` kills the saving process on its way into each call that changes a file, so every state of the disk
between two calls occurs: before, in and after each write, sync, rename and removal.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from ulid import ULID

from mosaic.artifacts import checkpoints
from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunSpec
from mosaic.runs import folder as runs
from tests.proof import oracle
from tests.proof.ingest_server import SAVES
from tests.proof.test_ingest_kills import MUTATING, Server, calls_made

ENOUGH = 40


def new_run(home: Path) -> tuple[DataRoot, str]:
    home.mkdir(mode=0o700)
    root, run_id = DataRoot(home), str(ULID())
    runs.create(root, RunSpec(run_id=run_id, command=["save"], cwd="/"), created=0.0)
    return root, run_id


def wrong_with(root: DataRoot, run_id: str) -> list[str]:
    """What a listing says that is not so, and what bears a name without being whole."""
    folder = root.run(run_id)
    oracle.ingest_all(folder)
    listed = checkpoints.of_run(root, run_id)
    wrong = []
    for known in map(checkpoints.verified, listed):
        if known.intact is not True and not known.pruned:
            wrong.append(f"{known.row.path} is listed: {known.note}")
    saved = folder.path / "checkpoints"
    for path in saved.iterdir() if saved.exists() else ():
        if path.name.startswith("."):
            continue
        try:
            with np.load(path, allow_pickle=False) as held:
                assert held["table"].shape == (16, 4)
        except Exception as error:
            wrong.append(f"{path.name} has its name and is not whole: {error}")
    steps = [known.row.step for known in listed]
    if steps != sorted((step for step, _ in SAVES[: len(steps)]), reverse=True):
        wrong.append(f"listed are {steps}")
    if listed and not any(known.usable for known in listed):
        wrong.append("nothing that is listed can be used")
    return wrong


@pytest.mark.timeout(600)
@pytest.mark.parametrize("chosen", ["some", pytest.param("all", marks=pytest.mark.heavy)])
def test_a_save_killed_at_any_call_is_not_listed_and_harms_none_before(chosen: str, tmp_path: Path) -> None:
    trace = "trace=" + ",".join(MUTATING)
    with Server() as first, Server() as second:
        root, run_id = new_run(tmp_path / "reference")
        log = tmp_path / "calls"
        assert first.traced("save", root.run(run_id), "-o", str(log), "-e", trace) == 0
        assert wrong_with(root, run_id) == []
        assert len(checkpoints.of_run(root, run_id)) == len(SAVES)
        points = calls_made(log)
        assert len(points) > ENOUGH, "hardly a call was seen: this proves nothing"
        assert {"rename", "unlink", "fsync"} <= {name for name, _ in points}
        if chosen == "some":
            points = points[::25] + [point for point in points if point[0] == "rename"][-3:]

        def survive(server: Server, number: int, point: tuple[str, int]) -> str | None:
            name, nth = point
            root, run_id = new_run(tmp_path / f"kill{number}")
            inject = f"inject={name}:signal=SIGKILL:when={nth}"
            status = server.traced("save", root.run(run_id), "-o", "/dev/null", "-e", trace, "-e", inject)
            if not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL):
                return f"{point}: it was not killed (status {status})"
            wrong = wrong_with(root, run_id)
            return f"{point}: {wrong}" if wrong else None

        def sweep(server: Server, part: int) -> list[str]:
            verdicts = [survive(server, n, point) for n, point in list(enumerate(points))[part::2]]
            return [verdict for verdict in verdicts if verdict is not None]

        with ThreadPoolExecutor(2) as pool:
            futures = [pool.submit(sweep, server, part) for part, server in enumerate((first, second))]
            wrong = [verdict for future in futures for verdict in future.result()]
    print(f"killed at {len(points)} calls: {dict(Counter(name for name, _ in points))}")
    assert not wrong, "\n".join(wrong)
