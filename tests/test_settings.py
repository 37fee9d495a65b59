from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from mosaic import settings
from mosaic.errors import UsageError
from mosaic.paths import DataRoot

DOCS = Path(__file__).parents[1] / "docs"


def test_the_environment_wins_over_the_file_and_the_file_over_the_default(home: Path) -> None:
    (home / "settings.toml").write_text("max_running = 3\nsegment_mib = 2\n")
    found = settings.load(DataRoot(home), environ={"MOSAIC_MAX_RUNNING": "5"})
    assert (found.max_running, found.segment_mib, found.obs_inline_bytes) == (5, 2, 1024)


@pytest.mark.parametrize("text", ["max_runing = 3", "max_running = 'many'", "max_running = 0", "= broken"])
def test_a_wrong_setting_is_refused_with_the_file_that_holds_it(home: Path, text: str) -> None:
    (home / "settings.toml").write_text(text)
    with pytest.raises(UsageError, match="settings.toml"):
        settings.load(DataRoot(home), environ={})


def test_every_setting_has_its_heading_in_the_docs() -> None:
    text = (DOCS / "settings.md").read_text()
    for field in msgspec.structs.fields(settings.Settings):
        assert f"## `{field.name}`" in text


def test_checkouts_are_a_table_by_runner_and_one_may_be_replaced_for_once(home: Path) -> None:
    (home / "settings.toml").write_text('[checkouts]\ncleanrl = "/c"\nother = "/o"\n')
    found = settings.load(DataRoot(home), environ={"MOSAIC_CHECKOUTS": "other=/elsewhere"})
    assert found.checkouts == {"cleanrl": "/c", "other": "/elsewhere"}
    assert found.with_checkout("cleanrl", "/once").checkouts == {"cleanrl": "/once", "other": "/elsewhere"}
    assert found.with_checkout("cleanrl", "") == found


def test_a_checkout_is_also_found_under_the_name_it_had_before(home: Path) -> None:
    (home / "settings.toml").write_text('cleanrl_checkout = "/c"\n')
    assert settings.load(DataRoot(home), environ={}).checkouts == {"cleanrl": "/c"}
    environ = {"MOSAIC_CLEANRL_CHECKOUT": "/v"}
    assert settings.load(DataRoot(home), environ=environ).checkouts == {"cleanrl": "/v"}
    (home / "settings.toml").write_text('cleanrl_checkout = "/c"\n[checkouts]\ncleanrl = "/new"\n')
    assert settings.load(DataRoot(home), environ={}).checkouts == {"cleanrl": "/new"}


@pytest.mark.parametrize("text", ["checkouts = 'x'", "checkouts = 'x'\na_checkout = '/c'", "a_checkout = 3"])
def test_a_checkout_that_is_none_is_refused(home: Path, text: str) -> None:
    (home / "settings.toml").write_text(text)
    with pytest.raises(UsageError, match="checkouts"):
        settings.load(DataRoot(home), environ={})


def test_what_is_kept_of_a_run_by_default() -> None:
    usual = settings.Settings()
    quotas = (usual.stdout_quota_mib, usual.stderr_quota_mib, usual.quarantine_quota_mib)
    assert (usual.segment_mib, *quotas) == (8, 256, 256, 256)
