"""G12: no file is run by being listed, verified, packed, shown or refused; only trusted bytes are loaded.

A corpus of files that leave a canary when they are loaded the wrong way lies in a run's folder and outside.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mosaic.artifacts import checkpoints, trust
from mosaic.paths import DataRoot
from mosaic.sdk.connection import connect
from mosaic_worker.drivers.kit.command import Refused
from mosaic_worker.drivers.kit.loading import opened
from tests.daemons import Daemon
from tests.proof.hostile import corpus

pytestmark = pytest.mark.timeout(600)

SAVE = """
import os, sys
import mosaic_worker
for name in sorted(os.listdir(sys.argv[1])):
    mosaic_worker.checkpoint(os.path.join(sys.argv[1], name), step=1, kind="torch",
                             meta={"runner": "sb3", "algorithm": "ppo", "env_id": "CartPole-v1"})
"""


def ask(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mosaic", *words], capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    return tmp_path / "canary"


@pytest.fixture
def files(tmp_path: Path, canary: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, content in corpus(canary).items():
        (folder / name).write_bytes(content)
    return folder


def test_the_corpus_is_dangerous(canary: Path, files: Path) -> None:
    for load in (
        lambda: pickle.loads((files / "raw.pkl").read_bytes()),
        lambda: pickle.loads((files / "old.pkl").read_bytes()),
        lambda: np.load(files / "table.npy", allow_pickle=True),
        lambda: _table(files / "table.npz"),
    ):
        load()
        canary.rmdir()


def _table(path: Path) -> None:
    with np.load(path, allow_pickle=True) as held:
        assert held["table"].shape == (1,)


def test_nothing_in_a_file_runs_because_it_is_listed_verified_packed_or_refused(
    daemon: Daemon, canary: Path, files: Path, tmp_path: Path
) -> None:
    run = connect(daemon.root.path).run([sys.executable, "-c", SAVE, str(files)], name="hostile")
    assert run.wait(300) is not None
    assert len(run.checkpoints()) == len(list(files.iterdir()))
    before = len(connect(daemon.root.path).runs())
    for words in (
        ["checkpoints", "--all"],
        ["checkpoints", "hostile", "--json"],
        ["verify", "hostile"],
        ["pack", "hostile", "--output", str(tmp_path / "packed.mosaic")],
    ):
        done = ask(*words)
        assert not canary.exists(), words
        assert "Traceback" not in done.stderr, (words, done.stderr)
    for path in (files / "model.zip", files / "json-and-zip.json"):
        copy = tmp_path / path.name  # a file of no run
        copy.write_bytes(path.read_bytes())
        done = ask("eval", str(copy), "--runner", "sb3/ppo", "--env", "CartPole-v1")
        assert done.returncode == 2, done.stderr
        assert "mosaic trust" in done.stderr
        assert not canary.exists(), path.name
    assert len(connect(daemon.root.path).runs()) == before


TABULAR = """
import sys
from mosaic_worker.drivers import tabular
from mosaic_worker.drivers.kit import command
for path in sys.argv[1:]:
    words = ["eval", "--env", "FrozenLake-v1", "--checkpoint", path, "--seed", "0", "--episodes", "1"]
    print(command.main(tabular.work, words))
"""


def test_the_tabular_driver_refuses_every_pickle(canary: Path, files: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    paths = sorted(map(str, files.iterdir()))
    done = subprocess.run(
        [sys.executable, "-c", TABULAR, *paths],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=env,
    )
    assert done.stdout.split() == ["2"] * len(paths), done.stderr
    assert done.stderr.count("is not a checkpoint of tabular") == len(paths)
    assert not canary.exists()


def test_what_is_loaded_is_what_was_hashed_even_if_the_file_changes_in_between(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    path.write_bytes(b"good")
    digest = trust.hash_file(path).sha256
    with opened(str(path), sha256=digest, pickled=True) as file:
        path.write_bytes(b"evil")
        assert file.read() == b"good"
    with (
        pytest.raises(Refused, match="not the file that was asked for"),
        opened(str(path), sha256=digest, pickled=True),
    ):
        pytest.fail("other bytes were opened")
    with pytest.raises(Refused, match="nobody said"), opened(str(path), sha256=None, pickled=True):
        pytest.fail("bytes nobody vouched for were opened")


def test_a_run_that_was_brought_in_is_a_strangers_also_under_an_id_of_ours(
    daemon: Daemon, files: Path, tmp_path: Path
) -> None:
    script = SAVE.replace("sys.argv[1]", "os.environ['MOSAIC_RUN_DIR'] + '/checkpoints'")
    make = "import os, shutil, sys\n"
    make += "shutil.copytree(sys.argv[1], os.environ['MOSAIC_RUN_DIR'] + '/checkpoints')\n"
    run = connect(daemon.root.path).run([sys.executable, "-c", make + script, str(files)], name="ours")
    assert run.wait(300) is not None
    root = DataRoot(daemon.root.path)
    mine = checkpoints.of_run(root, run.id)
    assert len(mine) == len(list(files.iterdir()))
    assert all(known.trusted for known in mine)
    packed = tmp_path / "packed.mosaic"
    assert ask("pack", "ours", "--output", str(packed)).returncode == 0
    assert ask("rm", "ours", "--yes").returncode == 0
    assert ask("unpack", str(packed)).returncode == 0
    back = checkpoints.of_run(root, run.id)
    assert [known.row.sha256 for known in back] == [known.row.sha256 for known in mine]
    assert not any(known.trusted for known in back)
