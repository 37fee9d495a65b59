"""What a run prints is kept within a quota, in place; nothing that is part of the record goes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec
import pytest

from mosaic.protocol.codec import MAX_LINE_BYTES
from mosaic.runs.output import PAGE_BYTES, read_span
from mosaic.store import ingest as ingest_module
from mosaic.store.ingest import RunIngest
from mosaic.store.quotas import BEGINNING_BYTES, LogQuota, Quotas, pages_between
from mosaic.store.reader import StoreReader
from mosaic.store.rebuild import rebuild
from mosaic.store.verify import verify
from tests.store.journals import end_run, ingest_all

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import RunFolder

MIB = 1 << 20
SMALL = Quotas(stdout_bytes=MIB, stderr_bytes=MIB, quarantine_bytes=MIB)


def on_disk(path: Path) -> int:
    return path.stat().st_blocks * 512


def event(k: int) -> bytes:
    return msgspec.json.encode({"type": "metric", "name": "loss", "value": float(k), "step": k}) + b"\n"


def metrics(folder: RunFolder) -> list[int | None]:
    with StoreReader(folder) as reader:
        return [row.step for row in reader.metrics()]


def test_what_a_run_prints_is_kept_within_its_quota_while_it_prints(folder: RunFolder) -> None:
    most = 0
    with (
        RunIngest(folder, quotas=SMALL) as ingest,
        folder.stdout.open("ab") as out,
        folder.stderr.open("ab") as err,
    ):
        for k in range(200):
            for file in (out, err):
                file.write(b"%d " % k + b"x" * 100_000 + b"\n")
                file.flush()
            while ingest.turn().more:
                pass
            most = max(most, on_disk(folder.stdout), on_disk(folder.stderr))
        warnings = ingest.summary().warnings
    assert most < 2 * MIB
    assert folder.stdout.stat().st_size > 19 * MIB, "offsets stay what they were"
    assert sorted(text.partition(" ")[0] for text in warnings) == ["stderr.log", "stdout.log"]


def test_the_beginning_and_the_end_stay_and_a_line_says_how_much_is_missing(folder: RunFolder) -> None:
    folder.stdout.write_bytes(b"first\n" + b"x" * 99 + b"\n" + (b"y" * 99 + b"\n") * 100_000 + b"last\n")
    ingest_all(folder, quotas=SMALL)
    fd = os.open(folder.stdout, os.O_RDONLY)
    shown = read_span(fd, 0, folder.stdout.stat().st_size).data
    os.close(fd)
    assert shown.startswith(b"first\n")
    assert shown.endswith(b"y\nlast\n")
    assert shown.count(b" MiB of older output dropped") == 1
    assert b"\0" not in shown
    assert BEGINNING_BYTES < len(shown) < 2 * MIB


def test_events_among_what_is_dropped_stay_and_a_rebuild_finds_them_all(folder: RunFolder) -> None:
    with folder.stdout.open("wb") as out:
        for k in range(400):
            out.write(event(k) + (b"text of some length {\n" * 900) + b'{"type": "metric", "broken\n')
    end_run(folder)
    before = ingest_all(folder, quotas=SMALL, settle=True)
    assert on_disk(folder.stdout) < 6 * MIB < folder.stdout.stat().st_size
    assert (before.metrics, before.quarantined) == (400, 400)
    assert verify(folder) == []
    after = rebuild(folder)
    assert (after.metrics, after.quarantined) == (400, 400)
    assert metrics(folder) == list(range(400))
    assert verify(folder) == []
    assert any("oldest output is dropped" in text for text in after.warnings)


@pytest.mark.parametrize("beginning", [b"progress ", b'{"type": "metric", "x": '])
def test_a_line_without_end_is_dropped_as_it_grows_and_costs_what_it_cost(
    folder: RunFolder, beginning: bytes
) -> None:
    with RunIngest(folder, quotas=SMALL) as ingest, folder.stdout.open("ab") as out:
        out.write(event(1) + beginning)
        for _ in range(9 * MAX_LINE_BYTES // MIB):
            out.write(b"\r50% " * (MIB // 5))
            out.flush()
            while ingest.turn().more:
                pass
        out.write(b"\n" + event(2))
    end_run(folder)
    summary = ingest_all(folder, quotas=SMALL, settle=True)
    kept = 64 * MIB if beginning.startswith(b"{") else 0
    assert on_disk(folder.stdout) < kept + 3 * MIB
    assert summary.quarantined == beginning.startswith(b"{")
    assert verify(folder) == []
    assert rebuild(folder).quarantined == summary.quarantined
    assert metrics(folder) == [1, 2]
    assert verify(folder) == []


def test_the_rest_of_a_dropped_line_is_never_taken_for_an_event(folder: RunFolder) -> None:
    """Lines so long that every place a gap can end at has what looks like an event behind it."""
    disguised = b"note " + event(7).strip() * 400 + b"\n"
    folder.stdout.write_bytes(b"{ not one\n" + disguised * 300)
    end_run(folder)
    before = ingest_all(folder, quotas=SMALL, settle=True)
    assert on_disk(folder.stdout) < 2 * MIB
    after = rebuild(folder)
    assert (before.metrics, before.quarantined) == (after.metrics, after.quarantined) == (0, 0)
    assert verify(folder) == []


def test_a_restart_of_the_machine_does_not_take_what_was_dropped_for_lost(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.stdout.write_bytes(event(1) + (b"y" * 99 + b"\n") * 100_000)
    ingest_all(folder, quotas=SMALL)
    for boot in ("another", "a third"):
        monkeypatch.setattr(ingest_module, "_boot_id", lambda boot=boot: boot)
        summary = ingest_all(folder, quotas=SMALL)
        assert not any("rebuilt" in text for text in summary.warnings)
        rebuild(folder)


def test_a_file_that_has_another_name_elsewhere_is_left_alone(folder: RunFolder, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"p" * 99 * MIB)
    os.link(precious, folder.stderr)
    ingest_all(folder, quotas=SMALL)
    assert precious.read_bytes() == b"p" * 99 * MIB


def test_a_file_system_that_cannot_free_a_part_of_a_file_is_said(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_module, "free", lambda path, stretches: False)
    folder.stderr.write_bytes(b"y" * 3 * MIB)
    warnings = ingest_all(folder, quotas=SMALL).warnings
    assert any("cannot free a part of a file" in text for text in warnings)


def test_what_ingest_has_not_read_is_not_dropped(folder: RunFolder) -> None:
    folder.stdout.write_bytes((b"y" * 99 + b"\n") * 100_000)
    quota = LogQuota(folder.stdout, MIB, has_events=True)
    assert quota.plan(read_to=0) == []
    assert quota.plan(read_to=2 * MIB)[-1][1] <= 2 * MIB


def test_a_log_that_was_emptied_and_grew_anew_is_dropped_from_its_beginning(folder: RunFolder) -> None:
    quota = LogQuota(folder.stderr, MIB, has_events=False)
    folder.stderr.write_bytes(b"y" * 8 * MIB)
    assert quota.plan()[0][0] < MIB
    os.truncate(folder.stderr, 0)
    assert quota.plan() == []
    os.truncate(folder.stderr, 8 * MIB)
    assert quota.plan()[0][0] < MIB


def test_whole_pages_go_and_a_byte_stays_before_what_is_kept() -> None:
    page = PAGE_BYTES
    begin = BEGINNING_BYTES
    kept = [(begin + 3 * page, begin + 3 * page + 10)]
    assert pages_between(kept, 0, begin + 8 * page) == [
        (begin, begin + 2 * page),
        (begin + 4 * page, begin + 7 * page),
    ]
    assert pages_between([], 0, begin) == []
