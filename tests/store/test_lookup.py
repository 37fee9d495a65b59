"""Finding episodes: by role, and what there is when there is none. Ids and indexes: see test_reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.errors import UsageError
from mosaic.store.reader import StoreReader
from tests.store.journals import Segments, ingest_all

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

SAID = ("train", None, "eval", "tournament", "train", ["eval"])


@pytest.fixture
def played(folder: RunFolder) -> RunFolder:
    worker = Segments(folder)
    for number, role in enumerate(SAID):
        reset = {"type": "reset", "episode_id": f"e{number}", "t": 1.0}
        worker.add(reset if role is None else reset | {"role": role})
        worker.add({"type": "step", "episode_id": f"e{number}", "step": 0, "terminated": True, "t": 2.0})
    worker.write()
    ingest_all(folder)
    return folder


def test_an_episode_has_the_role_that_its_reset_gave_and_none_when_that_is_not_a_role(
    played: RunFolder,
) -> None:
    with StoreReader(played) as reader:
        assert [row.role for row in reader.episodes()] == ["train", None, "eval", None, "train", None]
        summary = reader.summary()
        assert (summary.train_episodes, summary.eval_episodes) == (2, 1)
        assert [reader.reset(index).get("role") for index in range(6)] == list(SAID), "nothing is dropped"


@pytest.mark.parametrize(("role", "there"), [("train", [0, 4]), ("eval", [2]), ("unknown", [1, 3, 5])])
def test_episodes_are_listed_by_role_also_by_cursor(played: RunFolder, role: str, there: list[int]) -> None:
    with StoreReader(played) as reader:
        assert [row.index for row in reader.episodes(role=role)] == there
        assert [row.index for row in reader.episodes(role=role, since_seq=1)] == there
        assert [row.index for row in reader.episodes(role=role, limit=1)] == there[:1]
        assert [row.index for row in reader.episodes(role=role, first_index=3)] == [k for k in there if k > 2]


def test_a_role_that_there_is_not_is_refused_with_those_there_are(played: RunFolder) -> None:
    with StoreReader(played) as reader, pytest.raises(UsageError, match="train, eval, unknown"):
        reader.episodes(role="test")
