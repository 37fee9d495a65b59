from __future__ import annotations

import math
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mosaic.daemon import ingest_link
from mosaic.daemon.ingest_link import IngestLink, News
from mosaic.errors import DaemonError
from mosaic.paths import RunFolder
from tests.daemon.keeping import WORKERS, until

if TYPE_CHECKING:
    from collections.abc import Iterator


class Heard(list[News]):
    def of(self, run_id: str) -> list[News]:
        return [news for news in self if news.run_id == run_id]


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def link(heard: Heard) -> Iterator[IngestLink]:
    command = [sys.executable, str(WORKERS / "fake_ingest.py")]
    link = IngestLink(heard.append, command=command, first_pause_secs=0.01)
    link.start()
    yield link
    link.close()
    link.close()


def run(name: str) -> RunFolder:
    return RunFolder(Path("/runs") / name)


def test_what_ingest_says_is_passed_on(link: IngestLink, heard: Heard) -> None:
    link.watch(run("A"))
    until(lambda: heard.of("A"))
    summary = heard.of("A")[0].summary
    assert summary is not None
    assert math.isnan(summary.last_return or 0.0)
    assert summary.env_ids == ["X-v0"]


def test_a_killed_ingest_is_started_again_and_told_everything(link: IngestLink, heard: Heard) -> None:
    link.watch(run("A"))
    link.watch(run("SETTLED"))
    link.watch(run("B"))
    link.forget(run("B"))
    until(lambda: heard.of("A") and heard.of("SETTLED") and heard.of("B"))
    first = link.pid
    assert first is not None
    heard.clear()
    os.kill(first, signal.SIGKILL)
    until(lambda: heard.of("A"))
    link.watch(run("C"))
    until(lambda: heard.of("C"))
    assert link.pid != first
    assert not heard.of("SETTLED")
    assert not heard.of("B")


def test_orders_given_while_ingest_keeps_dying_arrive_in_the_end(link: IngestLink, heard: Heard) -> None:
    link.watch(run("DIE"))
    link.watch(run("A"))
    link.forget(run("DIE"))
    until(lambda: heard.of("A"))


def test_a_rebuild_waits_for_its_own_answer(link: IngestLink) -> None:
    summary = link.rebuild(run("A"), timeout_secs=60.0)
    assert summary.store_seq == link.pid
    with pytest.raises(DaemonError, match="no room"):
        link.rebuild(run("BROKEN"), timeout_secs=60.0)


def test_a_line_that_is_no_news_is_passed_over(link: IngestLink, heard: Heard) -> None:
    link.watch(run("NOISE"))
    until(lambda: heard.of("NOISE"))


def test_an_ingest_that_cannot_start_does_not_hang_the_daemon(heard: Heard) -> None:
    link = IngestLink(heard.append, command=["/no/such/program"], first_pause_secs=0.01)
    link.start()
    link.watch(run("A"))
    link.close()


def test_a_hung_ingest_is_killed_when_the_daemon_closes(heard: Heard, tmp_path: Path) -> None:
    command = [sys.executable, "-c", 'import time; print(\'{"run_id":"A"}\', flush=True); time.sleep(60)']
    link = IngestLink(heard.append, command=command, close_secs=0.1)
    link.start()
    until(lambda: heard)
    link.close()
    assert link.pid is None


def test_a_summary_comes_back_as_it_was_floats_by_name_and_texts_alike() -> None:
    line = b'{"run_id": "r", "summary": {"last_return": "NaN", "mean_return_100": 0.5, "returns_of": "eval"}}'
    summary = ingest_link._understand(line).summary
    assert summary is not None
    assert math.isnan(summary.last_return or 0.0)
    assert (summary.mean_return_100, summary.returns_of) == (0.5, "eval")
