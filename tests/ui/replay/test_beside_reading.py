"""An original and its branch, read from two recorded runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from mosaic.errors import UsageError
from mosaic.paths import DataRoot, RunFolder
from mosaic.store.reader import StoreReader
from mosaic.ui.replay.beside_model import Counterpart
from mosaic.ui.replay.beside_reading import read_pair
from tests.replay.branched import branched
from tests.replay.recorded import LOOP, record


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    home = tmp_path_factory.mktemp("beside") / "home"
    home.mkdir(mode=0o700)
    return record(home, LOOP.format(imports="", make='"CartPole-v1"', seed=5, episodes=3, steps=40))


@pytest.fixture(scope="module")
def branch(original: RunFolder) -> RunFolder:
    return branched(original, 1, 6)


def root(run: RunFolder) -> DataRoot:
    return DataRoot(Path(run.path.parent.parent))


def test_both_come_with_what_they_share(original: RunFolder, branch: RunFolder) -> None:
    other = Counterpart(run_id=branch.run_id, name="twig", original=False, step=6)
    pair = read_pair(root(original), original.run_id, 1, other, name="stem")
    with StoreReader(original) as reader:
        old = [step.action for step in reader.steps(1)]
    with StoreReader(branch) as reader:
        new = [step.action for step in reader.steps(pair.branch.episode)]
        assert pair.branch.last == len(new)
    assert (pair.original.run_id, pair.original.episode, pair.original.last) == (original.run_id, 1, len(old))
    assert (pair.original.name, pair.branch.name, pair.branched_at) == ("stem", "twig", 6)
    differ = next(step for step, (one, two) in enumerate(zip(old, new, strict=False)) if one != two)
    assert differ >= 6
    assert pair.shared == differ

    back = Counterpart(run_id=original.run_id, name="stem", original=True, step=6)
    assert read_pair(root(original), branch.run_id, pair.branch.episode, back, name="twig").shared == differ


def test_an_episode_that_was_not_branched_is_refused(original: RunFolder, branch: RunFolder) -> None:
    back = Counterpart(run_id=original.run_id, name="", original=True, step=6)
    with pytest.raises(UsageError, match="episode 7 was played as recorded to get to the branch"):
        read_pair(root(original), branch.run_id, 7, back)
    stranger = Counterpart(run_id=original.run_id, name="", original=False, step=6)
    with pytest.raises(UsageError, match="where this branch begins was not recorded"):
        read_pair(root(original), branch.run_id, 0, stranger)
