from __future__ import annotations

import pytest

from mosaic.errors import ReplayError
from mosaic.paths import RunFolder
from mosaic.protocol.rows import EpisodeRow
from mosaic.replay.chains import Chain, chain_of, key_of
from mosaic.store.reader import StoreReader


@pytest.mark.parametrize(
    ("episode_id", "key"),
    [
        ("p12x0a1b2c3d.e4.17", "p12x0a1b2c3d.e4"),
        ("p1xff.e0.3:player_0", "p1xff.e0"),
        ("mine", ""),
        ("a.b.3", ""),
    ],
)
def test_an_environment_is_known_by_the_ids_of_its_episodes(episode_id: str, key: str) -> None:
    assert key_of(EpisodeRow(episode_id=episode_id, index=0)) == key


def test_a_chain_has_the_episodes_of_one_environment_in_order(keeps: RunFolder) -> None:
    with StoreReader(keeps) as reader:
        rows = reader.episodes()
        chain = chain_of(reader, rows[4])
        assert [chain.number(row) for row in rows] == [0, 1, 2, 3, 4]
        assert [chain.last_seeded(number) for number in (4, 1, 3, 2)] == [2, 0, 2, 0]
        assert chain.turns_between(1, 4) == sum(row.steps for row in rows[1:4])
        assert chain.unit(3).turns == rows[3].steps
        with pytest.raises(ReplayError, match="missing in the record"):
            chain.unit(9)


def test_a_chain_remembers_only_so_many_units(keeps: RunFolder) -> None:
    with StoreReader(keeps) as reader:
        row = reader.episode(0)
        chain = Chain(reader, key_of(row), {}, kept=2)
        for number in range(5):
            chain.unit(number)
        assert list(chain._units) == [3, 4]
