"""G1, G3, G5, G6, G7 together: a storm of kills over all processes at once, under workers of every kind.

The other proofs kill one kind of process at chosen instants; here all are killed, in an order that a seed
chose. `make soak` tries every seed: 432 kills.
"""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from tests.daemons import Daemon, until
from tests.proof.soak import sampled
from tests.proof.storm import KINDS, Storm

KILLS = 36
SEEDS = range(1, 13)


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings under which many runs go at once."""
    monkeypatch.setenv("MOSAIC_MAX_RUNNING", "64")
    monkeypatch.setenv("MOSAIC_DISK_RESERVE_MIB", "0")


def processes_of(*places: Path) -> list[str]:
    """What still runs and names one of these places."""
    found = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
        except psutil.Error:
            continue
        if process.pid != os.getpid() and any(str(place) in word for word in words for place in places):
            found.append(" ".join(words))
    return found


@pytest.mark.heavy
@pytest.mark.usefixtures("crowded")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", sampled(SEEDS, 1))
def test_a_storm_of_kills_over_all_processes_loses_nothing_and_no_state_is_wrong(
    daemon: Daemon, tmp_path: Path, seed: int
) -> None:
    accounts = tmp_path / "accounts"
    storm = Storm(daemon, accounts, seed=seed)
    storm.rage(KILLS)
    storm.settle()
    assert storm.killed == {kind: KILLS // len(KINDS) for kind in KINDS}
    acknowledged = sum(life.count for life in storm.lives)
    print(f"{KILLS} kills over {len(storm.lives)} runs, {acknowledged} acknowledged, none lost")
    assert acknowledged > 10 * KILLS, "the workers were killed before they did anything: this proves nothing"
    until(lambda: not processes_of(accounts), timeout_secs=60)
    lanes = Path(os.environ["MOSAIC_SHM"])
    until(lambda: not [path for path in lanes.rglob("*") if path.is_file()], timeout_secs=60)
