"""Rows: the names programs read."""

from __future__ import annotations

import msgspec
import pytest

from mosaic.protocol import rows
from mosaic.protocol.rows import NUMBERS, EpisodeRow, RollUp, StoreSummary
from mosaic.protocol.runs import RunRow


def test_the_return_of_an_episode_is_called_return_in_json() -> None:
    row = EpisodeRow(episode_id="e", index=3, return_=2.5)
    told = msgspec.json.decode(msgspec.json.encode(row))
    assert told["return"] == 2.5
    assert "return_" not in told
    assert msgspec.convert(told, EpisodeRow) == row


@pytest.mark.parametrize("name", sorted({*rows.__all__} - {"NUMBERS", "Number"}))
def test_a_row_leaves_nothing_out_and_is_never_changed(name: str) -> None:
    config = getattr(rows, name).__struct_config__
    assert config.frozen
    assert not config.omit_defaults, "whoever reads JSON finds every field in every row"


def test_listings_and_summaries_carry_the_same_numbers_and_each_has_a_title() -> None:
    assert {one.name for one in NUMBERS} == {*RollUp.__struct_fields__} - {"env_ids"}
    assert all(one.title for one in NUMBERS)
    assert len({one.title for one in NUMBERS}) == len(NUMBERS)
    for kind in (RunRow, StoreSummary):
        assert {*RollUp.__struct_fields__} <= {*kind.__struct_fields__}
    assert [one.name for one in NUMBERS if one.is_rate] == ["steps_per_sec"]
