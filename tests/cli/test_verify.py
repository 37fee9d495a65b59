"""`mosaic verify`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mosaic.sdk.connection import Connection
from tests.cli.asking import settled, strict_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


@pytest.mark.usefixtures("recorded")
def test_a_sound_run_is_verified(mosaic: Callable[..., Said]) -> None:
    said = mosaic("verify", "last")
    assert (said.code, said.err) == (0, "")
    assert "agree" in said.out
    assert strict_json(mosaic("verify", "last", "--json").out)["differences"] == []


def test_a_journal_that_says_otherwise_is_found_out(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    line = json.dumps({"type": "metric", "name": "x", "value": 0.5})
    run = Connection(root).run(["sh", "-c", f"echo '{line}'"])
    run.wait()
    settled(root, run)
    log = run.folder / "stdout.log"
    log.write_text(log.read_text().replace("0.5", "0.7"))
    said = mosaic("verify", run.id)
    assert said.code == 1
    assert "the journal says" in said.out
    assert f"mosaic rebuild {run.id}" in said.err
    assert strict_json(mosaic("verify", run.id, "--json").out)["agree"] is False


def test_a_settled_run_without_its_store_is_a_finding(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    run = Connection(root).run(["true"])
    run.wait()
    settled(root, run)
    for path in run.folder.glob("telemetry.sqlite*"):
        path.unlink()
    said = mosaic("verify", run.id)
    assert said.code == 1
    assert "no store" in said.err


def test_a_hole_in_the_journal_is_named_with_its_place(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    lines = [json.dumps({"type": "log", "text": "x", "seq": seq}) for seq in (0, 3)]
    segment = "$MOSAIC_RUN_DIR/journal/p1x00000000-0000.jsonl"
    run = Connection(root).run(
        ["sh", "-c", f"umask 077; printf '%s\\n' '{lines[0]}' '{lines[1]}' > {segment}"]
    )
    run.wait()
    settled(root, run)
    said = mosaic("verify", run.id)
    assert said.code == 0
    assert f"lacks 2 events at byte {len(lines[0]) + 1}" in said.out
    assert "holes in the journal: 1" in said.out
    assert strict_json(mosaic("verify", run.id, "--json").out)["holes"][0]["events"] == 2


def test_a_repair_says_what_it_will_do_asks_and_does_it(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    line = json.dumps({"type": "log", "text": "x" * 200, "seq": 0})
    segment = "$MOSAIC_RUN_DIR/journal/p1x00000000-0000.jsonl"
    run = Connection(root).run(["sh", "-c", f"umask 077; printf '%s\\n' '{line}' > {segment}"])
    run.wait()
    settled(root, run)
    (sealed,) = (run.folder / "journal").glob("*.zst")
    data = sealed.read_bytes()
    sealed.write_bytes(data[:40] + b"????" + data[44:])
    said = mosaic("verify", run.id)
    assert said.code == 1
    assert f"damage: journal/{sealed.name} lacks {len(line) + 1} bytes at byte 0" in said.out
    assert strict_json(mosaic("verify", run.id, "--json").out)["damage"][0]["offset"] == 0
    refused = mosaic("verify", run.id, "--repair")  # nobody answers
    assert refused.code != 0
    assert "will write journal/" in refused.err
    assert "will leave the store" in refused.err
    assert len(list(sealed.parent.glob("*.damaged-*"))) == 0
    done = mosaic("verify", run.id, "--repair", "--yes")
    assert done.code == 0
    assert "undo: mv" in done.out
    assert len(list(sealed.parent.glob("*.damaged-*"))) == 1
    assert mosaic("rebuild", run.id).code == 0
    said = mosaic("verify", run.id)
    assert said.code == 0
    assert "lacks an unknown number of events at byte 0" in said.out
    for path in run.folder.glob("telemetry.sqlite*"):
        path.unlink()
    assert "will build the store anew" in mosaic("verify", run.id, "--repair", "--yes").err
    assert mosaic("verify", run.id).code == 0
