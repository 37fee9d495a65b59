from __future__ import annotations

from mosaic.paths import RunFolder
from mosaic.replay.verify import verify
from mosaic.store.reader import StoreReader


def test_every_episode_gets_a_verdict_and_the_steps_are_counted(cartpole: RunFolder) -> None:
    told: list[tuple[int, int]] = []
    with StoreReader(cartpole) as reader:
        rows = reader.episodes()
        verdicts = list(
            verify(cartpole, reader, rows, progress=lambda done, total: told.append((done, total)))
        )
    assert [verdict.exact for verdict in verdicts] == [True] * 4
    total = sum(row.steps for row in rows)
    assert told[-1] == (total, total)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
