"""G15: no secret of a command or of a variable reaches a disk, a list, an export, or a process that stays.

Canaries go the ways that keys go: a flag, a flag with `=`, an assignment, an address, a variable, and that
variable's value among the words. The worker proves by a hash that it was given the true words. Then every
file is searched, packed and sealed ones too, and what /proc shows of our own processes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
import zstandard

from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunState
from mosaic_worker.common.redact import MARK
from tests.daemons import running_daemon
from tests.proof.scenes import WORKERS, environment, ingest_of, until

if TYPE_CHECKING:
    from collections.abc import Iterator

ZSTD = b"\x28\xb5\x2f\xfd"
VARIABLE = "c4n4ryVariable81xWv0"
CALLER = "c4n4ryOfTheFirstCaller"
FLAG, GIVEN, ASSIGNED, ADDRESS = ("c4n4ryFlagZq", "c4n4ryGivenZq", "c4n4ryAssignedZq", "c4n4ryAddressZq")
CANARIES = (VARIABLE, CALLER, FLAG, GIVEN, ASSIGNED, ADDRESS)
WORDS = [
    *("--api-key", FLAG, f"--password={GIVEN}", "--url", f"https://me:{ADDRESS}@host/x"),
    *("--note", f"with {VARIABLE}", f"DB_PASSWD={ASSIGNED}"),
]
NAMED = (*WORDS, VARIABLE)


def found_in(data: bytes) -> list[str]:
    return [canary for canary in CANARIES if canary.encode() in data]


def layers(data: bytes, depth: int = 0) -> Iterator[bytes]:
    """These bytes, and what is compressed anywhere in them, and in that: sealed segments, packs, chunks."""
    yield data
    at = data.find(ZSTD) if depth < 3 else -1
    while at >= 0:
        with contextlib.suppress(zstandard.ZstdError):
            inside = zstandard.ZstdDecompressor().decompressobj().decompress(data[at:])
            yield from layers(inside, depth + 1)
        at = data.find(ZSTD, at + 1)


def holding(*places: Path) -> dict[str, list[str]]:
    """Every file below these places that holds a canary, and which; but for what the script itself said."""
    found: dict[str, list[str]] = {}
    for path in (path for place in places for path in [place, *place.rglob("*")]):
        if path.is_file() and path.name != "stderr.log":
            for data in (str(path).encode(), *layers(path.read_bytes())):
                if held := found_in(data):
                    found[str(path)] = held
    return found


@dataclass
class Caller:
    """Somebody whose environment and whose commands hold secrets."""

    root: DataRoot
    folder: Path
    said: list[str] = field(default_factory=list)

    def mosaic(self, *words: str, code: int = 0) -> str:
        env = environment(
            MOSAIC_HOME=str(self.root.path),
            MOSAIC_DISK_RESERVE_MIB="0",
            MY_SERVICE_TOKEN=VARIABLE,
            UNLIKE_A_SECRET=CALLER,
        )
        command = [sys.executable, "-m", "mosaic", *words]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=90, check=False)
        assert done.returncode == code, (words, done.stdout, done.stderr)
        self.said += [done.stdout] if code == 0 else []
        return done.stdout

    def told(self, name: str) -> bool:
        """Whether that run got every word as it was typed."""
        words = json.loads((self.folder / name).read_text())
        return bool(words == [hashlib.sha256(word.encode()).hexdigest() for word in NAMED])

    def command(self, name: str, end: str) -> list[str]:
        return [sys.executable, str(WORKERS / "tells_words.py"), str(self.folder / name), end, *WORDS]


@pytest.fixture
def caller(home: Path, tmp_path: Path) -> Caller:
    (tmp_path / "receipts").mkdir()
    return Caller(DataRoot(home), tmp_path / "receipts")


def test_secrets_reach_the_worker_and_nothing_that_is_kept_or_shown(caller: Caller, tmp_path: Path) -> None:
    caller.mosaic("daemon", "start")  # whose first caller has secrets too
    with running_daemon(caller.root) as daemon:
        out = tmp_path / "out"
        out.mkdir()
        run = ("run", "--tag", f"key={FLAG}", "--name")
        caller.mosaic(*run, "good", "--", *caller.command("good", "ends"))
        caller.mosaic(*run, "bad", "--", *caller.command("bad", "crashes"), code=2)
        caller.mosaic(*run, f"a-{VARIABLE}", "--detach", "--", *caller.command("live", "waits"))
        assert caller.told("good")
        assert caller.told("bad")
        until(lambda: daemon.client.runs()[0].state is RunState.RUNNING and (caller.folder / "live").exists())
        until(lambda: all(row.metrics for row in daemon.client.runs()))
        good = next(row for row in daemon.client.runs() if row.name == "good")
        bad = next(row for row in daemon.client.runs() if row.name == "bad")
        assert good.command[-len(WORDS) :] == [
            *("--api-key", MARK, f"--password={MARK}", "--url", f"https://me:{MARK}@host/x"),
            *("--note", f"with {MARK}", f"DB_PASSWD={MARK}"),
        ]
        assert "unrecognized arguments" in bad.reason
        caller.mosaic("rebuild", "good")
        for words in (
            *(("ls", "--json"), ("ls",), ("show", "good", "--json"), ("show", "good"), ("verify", "good")),
            *(("events", "good", "--json"), ("metrics", "good", "--json")),
            ("pack", "good", "-o", str(out / "packed")),
            *(
                ("export", "good", "--format", one, "-o", str(out / one))
                for one in ("csv", "jsonl", "parquet")
            ),
        ):
            caller.mosaic(*words)
        assert [said for said in caller.said if found_in(said.encode())] == []
        assert found_in(repr(daemon.client.runs()).encode()) == []
        assert processes_hold(daemon.pid, ingest_of(daemon).pid) == {}
        shims = [one for one in psutil.Process(daemon.pid).children() if "shim.py" in " ".join(one.cmdline())]
        assert len(shims) == 1
        assert found_in(Path(f"/proc/{shims[0].pid}/cmdline").read_bytes()) == []
        daemon.client.stop(daemon.client.runs()[0].run_id)
        daemon.wait(daemon.client.runs()[0].run_id)
        places = (caller.root.path, caller.root.socket.parent, out, Path(os.environ["MOSAIC_SHM"]))
        assert holding(*places) == {}
        # The search works: it opens what is packed, and finds them in the file that the script itself filled.
        packed = b"".join(layers(next(out.glob("packed*")).read_bytes()))
        assert b'"argv"' in packed
        assert set(found_in(daemon.root.run(bad.run_id).stderr.read_bytes())) == {FLAG, GIVEN, ADDRESS}
        assert sum(1 for _ in caller.root.path.rglob("*")) > 40, "the search saw a whole data root"


def processes_hold(*pids: int) -> dict[str, list[str]]:
    found = {}
    for pid in pids:
        for name in ("cmdline", "environ"):
            if held := found_in(Path(f"/proc/{pid}/{name}").read_bytes()):
                found[f"{pid} {name}"] = held
    return found


def test_a_recorded_command_is_not_started_with_a_mark_in_place_of_its_secret(caller: Caller) -> None:
    with running_daemon(caller.root) as daemon:
        caller.mosaic("run", "--name", "first", "--", *caller.command("first", "ends"))
        recorded = daemon.client.runs()[0].command
        caller.mosaic("run", "--", *recorded, code=2)
        assert len(daemon.client.runs()) == 1


def test_what_plays_a_checkpoint_may_be_given_a_secret(caller: Caller, tmp_path: Path) -> None:
    weights = tmp_path / "weights.bin"
    with running_daemon(caller.root) as daemon:
        first = [*caller.command("first", "ends"), "--checkpoint", str(weights)]
        caller.mosaic("run", "--name", "first", "--", *first)
        caller.mosaic("eval", str(weights), "--trust", "--", *caller.command("second", "ends"))
        assert caller.told("second")
        assert daemon.client.runs()[0].runner
        assert holding(caller.root.path) == {}
