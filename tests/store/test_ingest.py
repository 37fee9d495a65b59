"""One run's ingest: exactly once, in order, nothing lost, whatever the journal looks like."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mosaic.errors import StoreError
from mosaic.protocol.codec import MAX_LINE_BYTES
from mosaic.store.ingest import RunIngest
from mosaic.store.lag import lag
from mosaic.store.reader import StoreReader
from mosaic.store.verify import verify
from tests.store.journals import PRODUCER, Segments, array, end_run, ingest_all, quarantined

if TYPE_CHECKING:
    from mosaic.paths import RunFolder


def test_what_the_journal_says_is_in_the_store(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(5):
        worker.episode(k, 30 + k)
    worker.add({"type": "metric", "name": "charts/episodic_return", "value": 1.5, "step": 7, "t": 2.0})
    worker.write()
    summary = ingest_all(folder)
    assert (summary.episodes, summary.steps, summary.metrics) == (5, 160, 1)
    assert (summary.quarantined, summary.holes, summary.unknown, summary.warnings) == (0, 0, 0, [])
    assert summary.store_seq == worker.seq
    assert summary.env_ids == ["CartPole-v1"]
    assert summary.last_return == 34.0
    assert verify(folder) == []


@pytest.mark.parametrize("turn_bytes", [200, 1000, 4 << 20])
def test_the_size_of_a_turn_changes_nothing(folder: RunFolder, turn_bytes: int) -> None:
    worker = Segments(folder)
    for k in range(40):
        worker.episode(k, 3 + k)
        if k % 7 == 0:
            worker.write()
    worker.write()
    end_run(folder)
    summary = ingest_all(folder, turn_bytes=turn_bytes, settle=True)
    assert summary.steps == sum(3 + k for k in range(40))
    assert verify(folder) == []


def test_a_producer_with_much_to_say_does_not_keep_the_others_waiting(folder: RunFolder) -> None:
    names = ("p1x00000001", "p2x00000002", "p3x00000003")
    for name in names:
        worker = Segments(folder, producer=name)
        for _ in range(80):
            worker.add({"type": "metric", "name": name, "value": 1.0, "padding": "x" * 10_000})
        worker.write()
    with RunIngest(folder, seal=False, turn_bytes=1) as ingest:  # one block of one producer a turn
        for _ in range(8):
            assert ingest.turn().more
        with StoreReader(folder) as reader:
            seen = {row.name for row in reader.metrics()}
    assert seen == set(names)


def test_a_live_segment_is_read_as_it_grows(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 3, close=False)
    worker.write(live=True)
    with RunIngest(folder) as ingest:
        assert ingest.turn().summary.steps == 3
        assert not ingest.turn().advanced
        worker.add({"type": "step", "episode_id": f"{PRODUCER}.0.0", "step": 3})
        whole = worker.pending
        worker.pending = whole[:20]
        worker.append_live()
        assert not ingest.turn().advanced  # half a line is no line
        worker.pending = whole[20:]
        worker.append_live()
        assert ingest.turn().summary.steps == 4
        worker.finish()
        end_run(folder)
        while not ingest.settle():
            pass
        assert ingest.summary().quarantined == 0
    assert [path.name for path in folder.journal.glob("*.jsonl*")] == [f"{PRODUCER}-0000.jsonl.zst"]
    assert verify(folder) == []


def test_a_line_seen_out_of_order_waits_for_the_one_before(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.write(live=True)
    with RunIngest(folder) as ingest:
        ingest.turn()
        place = worker.path.with_name(f"{PRODUCER}-0000.jsonl")
        data = place.read_bytes()
        end = len(data.rstrip(b"\0"))
        worker.add({"type": "log", "text": "first"}, {"type": "log", "text": "second"})
        first, second, _ = worker.pending.split(b"\n")
        late = end + len(first) + 1
        with place.open("r+b") as file:
            file.seek(late)
            file.write(second + b"\n")
        assert not ingest.turn().advanced
        with place.open("r+b") as file:
            file.seek(end)
            file.write(first + b"\n")
        assert ingest.turn().summary.store_seq == 3
        assert ingest.summary().holes == 0
    worker.die()


def test_nulls_in_a_dead_segment_are_one_hole_with_its_missing_events(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.add({"type": "log", "text": "a"})
    place = len(worker.pending)
    worker.raw(b"\0" * 500)
    worker.seq += 4
    worker.add({"type": "log", "text": "b"})
    worker.write()
    summary = ingest_all(folder)
    assert (summary.holes, summary.quarantined, summary.store_seq) == (1, 0, 3)
    with StoreReader(folder) as reader:
        assert reader.holes() == [(f"{PRODUCER}-0000.jsonl", place, 500, 4)]


def test_a_writer_killed_in_the_middle_of_a_line_leaves_a_fragment_in_quarantine(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 4)
    worker.raw(b'{"type":"step","episode_id":"x","st')
    worker.write(live=True)
    with RunIngest(folder) as ingest:
        assert ingest.turn().summary.quarantined == 0
        worker.die()
        ingest.turn()
        assert ingest.summary().quarantined == 1
        assert ingest.summary().holes == 0
    assert [line for _, _, line in quarantined(folder)] == [b'{"type":"step","episode_id":"x","st']
    assert verify(folder) == []


def test_a_huge_line_costs_exactly_that_line(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.add({"type": "log", "text": "before"})
    junk = b"{" + b"x" * (10 << 20)
    worker.raw(junk + b"\n")
    worker.seq += 1
    over = b"y" * (MAX_LINE_BYTES + 5)
    worker.raw(over + b"\n")
    worker.seq += 1
    worker.add({"type": "log", "text": "z" * (3 << 20)}, {"type": "log", "text": "after"})
    worker.write()
    summary = ingest_all(folder)
    assert (summary.quarantined, summary.holes, summary.store_seq) == (2, 0, 4)
    assert [line for _, _, line in quarantined(folder)] == [junk, over]
    assert verify(folder) == []


def test_quarantine_is_written_once_even_when_the_writer_dies_before_saying_so(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.raw(b"nonsense\n")
    worker.write()
    ingest_all(folder)
    with folder.quarantine.open("ab") as file:
        file.write(b'{"half')
    worker.seq += 1
    worker.raw(b"more nonsense\n")
    worker.write()
    ingest_all(folder)
    assert [line for _, _, line in quarantined(folder)] == [b"nonsense", b"more nonsense"]
    folder.quarantine.unlink()
    ingest_all(folder)
    assert [line for _, _, line in quarantined(folder)] == [b"nonsense", b"more nonsense"]


def test_steps_of_foreign_programs_make_their_episode(folder: RunFolder) -> None:
    lines = [
        {"type": "step", "episode_id": "ep1", "step": k, "reward": 0.5, "terminated": k == 3}
        for k in range(4)
    ]
    lines += [{"type": "step", "episode_id": "ep2", "step": 0, "reward": 2.0}]
    lines += [{"type": "episode", "episode_id": "ep3", "steps": 9, "return": -1.0}]
    folder.stdout.write_text("hi\n" + "".join(json.dumps(line) + "\n" for line in lines))
    end_run(folder)
    summary = ingest_all(folder, settle=True)
    assert (summary.episodes, summary.steps, summary.quarantined) == (3, 5, 0)
    with StoreReader(folder) as reader:
        rows = {row.episode_id: (row.steps, row.return_, row.outcome) for row in reader.episodes()}
        assert rows == {"ep1": (4, 2.0, "terminated"), "ep2": (1, 2.0, None), "ep3": (9, -1.0, None)}
        assert reader.steps(2) == []
    assert verify(folder) == []


def test_the_last_line_of_a_program_may_lack_its_newline(folder: RunFolder) -> None:
    folder.stdout.write_text('{"type":"log","text":"one"}\n{"type":"log","text":"two"}')
    assert ingest_all(folder).store_seq == 1
    end_run(folder)
    assert ingest_all(folder, settle=True).store_seq == 2


def test_late_repeated_and_disordered_steps_are_stored_as_they_came(folder: RunFolder) -> None:
    worker = Segments(folder)
    name = worker.episode(0, 3)
    for k in range(1, 60):
        worker.episode(k, 30)
    worker.write()
    ingest_all(folder)
    for number in (7, 2, 2):
        worker.add({"type": "step", "episode_id": name, "step": number})
    worker.write()
    ingest_all(folder)
    worker.add({"type": "step", "episode_id": name, "step": 9})
    worker.write()
    end_run(folder)
    ingest_all(folder, settle=True)
    with StoreReader(folder) as reader:
        assert [row.step for row in reader.steps(0)] == [0, 1, 2, 7, 2, 2, 9]
        assert reader.episode(0).steps == 3  # what the episode event said
    assert verify(folder) == []


def test_interleaved_episodes_of_a_vector_environment(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(400):
        for env in range(8):
            event = {
                "type": "step",
                "episode_id": f"e{env}.{k // 90}",
                "step": k % 90,
                "obs": array(k, env),
                "t": 1 + k,
            }
            worker.add({**event, "terminated": k % 90 == 89, "action": env})
        if k % 37 == 0:
            worker.write()
    worker.write()
    end_run(folder)
    summary = ingest_all(folder, turn_bytes=3000, settle=True)
    assert (summary.steps, summary.episodes) == (3200, 40)
    assert verify(folder) == []


def test_a_long_episode_is_cut_into_chunks_while_it_runs(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 5000, close=False)
    worker.write()
    ingest_all(folder, turn_bytes=20_000)
    with StoreReader(folder) as reader:
        assert [row.step for row in reader.steps(0)] == list(range(5000))
        assert [row.step for row in reader.steps(0, first=4000, limit=3)] == [4000, 4001, 4002]
        rows, cursor = reader.steps_since(3000, limit=100)
        assert [row.seq for _, row in rows] == list(range(3001, 3101))
        assert cursor == 3100
    assert verify(folder) == []


def test_another_protocol_version_is_a_warning_and_its_lines_are_tried(folder: RunFolder) -> None:
    worker = Segments(folder, hello=False)
    worker.add({"type": "hello", "protocol": 7, "producer": PRODUCER}, {"type": "log", "text": "x"})
    worker.add({"type": "hologram", "data": [1]})
    worker.write()
    summary = ingest_all(folder)
    assert (summary.store_seq, summary.unknown) == (3, 1)
    assert "protocol 7" in summary.warnings[0]
    assert verify(folder) == []


def test_what_a_worker_logs_as_a_warning_is_a_warning_of_the_run(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.add({"type": "log", "text": "fine"}, {"type": "log", "text": "y" * 900, "level": "warning"})
    worker.add(
        {"type": "log", "text": "odd", "level": "warning"}, {"type": "log", "text": "x", "level": "error"}
    )
    worker.write()
    assert ingest_all(folder).warnings == ["y" * 500, "odd"]
    assert verify(folder) == []


def test_unknown_fields_of_every_kind_of_event_are_kept_and_counted(folder: RunFolder) -> None:
    worker = Segments(folder)
    for kind in ("metric", "checkpoint", "episode", "reset", "step", "config"):
        event = {
            "type": kind,
            "name": "m",
            "value": 1,
            "path": "p",
            "episode_id": "e",
            "steps": 1,
            "step": 0,
            "new": kind,
        }
        worker.add(event)
    worker.write()
    summary = ingest_all(folder)
    assert (summary.quarantined, summary.unknown) == (0, 6)


def test_only_one_process_ingests_a_run(folder: RunFolder) -> None:
    with RunIngest(folder), pytest.raises(StoreError, match="another process ingests"):
        RunIngest(folder)


def test_a_run_that_goes_on_is_not_settled(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 5)
    worker.write(live=True)
    with RunIngest(folder) as ingest:
        while ingest.turn().advanced:
            pass
        assert not ingest.settle()
        end_run(folder)
        assert not ingest.settle()  # somebody still holds the segment
        worker.die()
        while not ingest.settle():
            pass
        assert ingest.settle()


def test_lag_counts_what_is_not_in_the_store_yet(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 5)
    size = len(worker.pending)
    worker.write(live=True)
    assert (lag(folder).bytes, lag(folder).events) == (size, 8)
    ingest_all(folder)
    assert (lag(folder).bytes, lag(folder).events) == (0, 0)
    worker.add({"type": "log", "text": "x"})
    worker.append_live()
    assert lag(folder).events == 1
    worker.die()


INGEST_FOREVER = """
import sys
from pathlib import Path
from mosaic.paths import RunFolder
from mosaic.store.ingest import RunIngest
print("up", flush=True)
with RunIngest(RunFolder(Path(sys.argv[1])), turn_bytes=3000) as ingest:
    while not ingest.settle():
        ingest.turn()
"""


def test_ingest_killed_again_and_again_stores_everything_exactly_once(
    folder: RunFolder, tmp_path: Path
) -> None:
    worker = Segments(folder)
    for k in range(120):
        worker.episode(k, 20)
        worker.raw(b"odd %d\n" % k)
        worker.seq += 1
        if k % 20 == 0:
            worker.write()
    worker.write()
    end_run(folder)
    script = tmp_path / "forever.py"
    script.write_text(textwrap.dedent(INGEST_FOREVER))
    for delay in (0.0, 0.01, 0.03, 0.06, 0.1):
        process = subprocess.Popen([sys.executable, str(script), str(folder.path)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
    summary = ingest_all(folder, seal=True, settle=True)
    assert (summary.steps, summary.quarantined, summary.holes) == (2400, 120, 0)
    assert [line for _, _, line in quarantined(folder)] == [b"odd %d" % k for k in range(120)]
    assert list(folder.journal.glob("*.jsonl")) == []
    assert verify(folder) == []


def test_floats_of_every_kind_come_back_bit_for_bit(folder: RunFolder) -> None:
    worker = Segments(folder)
    forms = [
        "NaN",
        "NaN:fff8000000000001",
        "Infinity",
        "-Infinity",
        -0.0,
        5e-324,
        1.7976931348623157e308,
        0.1,
    ]
    for k, form in enumerate(forms):
        worker.add({"type": "metric", "name": "m", "value": form, "t": form})
        worker.add({"type": "step", "episode_id": f"e{k}", "step": 0, "reward": form, "t": form})
        worker.add(
            {
                "type": "episode",
                "episode_id": f"e{k}",
                "steps": 1,
                "return": form,
                "t_start": form,
                "t_end": form,
            }
        )
    worker.write()
    summary = ingest_all(folder)
    assert summary.quarantined == 0
    assert verify(folder) == []
    with StoreReader(folder) as reader:
        assert [base64.b16encode(row.return_.hex().encode()) for row in reader.episodes()] == [
            base64.b16encode(row.value.hex().encode()) for row in reader.metrics()
        ]
        assert len(reader.returns()) == len(forms)


@pytest.mark.parametrize("name", ["stdout.log", "journal/q-0000.jsonl"])
def test_a_line_too_long_is_passed_over_across_restarts_and_costs_itself(
    folder: RunFolder, name: str
) -> None:
    line = b'{"type":"metric","name":"valid","value":1}\n'
    start = len(line)
    (folder.path / name).write_bytes(line + b'{"type":"log","text":"' + b"x" * (40 << 20))
    with RunIngest(folder) as ingest:
        for _ in range(6):
            assert ingest.turn().more
    with StoreReader(folder) as reader:
        assert reader.cursors()[Path(name).name][0] > start  # in the middle of that line
    with (folder.path / name).open("ab") as file:
        file.write(b'"}\n' + line)
    end_run(folder)
    summary = ingest_all(folder, seal=True, settle=True)
    assert (summary.metrics, summary.quarantined, summary.warnings) == (2, 1, [])
    (row,) = [json.loads(text) for text in folder.quarantine.read_text().splitlines()]
    assert (row["offset"], row["length"]) == (start, 22 + (40 << 20) + 2)
    assert verify(folder) == []


def test_a_turn_ends_when_its_time_is_over_and_loses_nothing(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(20):
        worker.episode(k, 30)
        worker.write()
    end_run(folder)
    with RunIngest(folder, turn_secs=0.0) as ingest:
        turn = ingest.turn()
        assert turn.more
        assert turn.summary.steps == 30
    assert ingest_all(folder, settle=True).steps == 600


@pytest.mark.parametrize(("turn_secs", "heard"), [(1e6, 3), (0.0, 1)])
def test_one_turn_hears_all_producers_unless_its_time_is_over(
    folder: RunFolder, turn_secs: float, heard: int
) -> None:
    workers = [Segments(folder, producer=f"p{n}x0000000{n}") for n in (1, 2, 3)]
    for worker in workers:
        worker.add({"type": "metric", "name": worker.producer, "value": 1.0})
        worker.write(live=True)
    with RunIngest(folder, turn_secs=turn_secs) as ingest:
        assert ingest.turn().summary.metrics == heard
    for worker in workers:
        worker.die()
