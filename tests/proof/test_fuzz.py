"""G9, G24: whatever arrives as a line, request, record or pack is taken, or refused by an error of ours."""

from __future__ import annotations

import contextlib
import hashlib
import io
import random
import tarfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard
from google.protobuf.message import DecodeError

from mosaic.errors import MosaicError, StoreError
from mosaic.exporting import archive
from mosaic.exporting.unpack import unpack
from mosaic.paths import DataRoot, RunFolder
from mosaic.protocol.runs import RunSpec
from mosaic.rpc import convert
from mosaic.rpc.pb import trainer_pb2 as pb
from mosaic.runs import folder as runs
from mosaic.store.batch import parse_journal, parse_text
from tests.proof import places, sample
from tests.proof.fuzz import broken, inputs

RUN_ID = "01J0000000000000000000000Z"
LINES = [line.rstrip(b"\n") for line in sample.lines_of("p1x00000000")]
MANIFEST = msgspec.json.encode(
    {"spec": {"run_id": RUN_ID, "command": ["true"], "cwd": "/"}, "created": 1.0, "history": []}
)
EXIT = b'{"code": 0, "t": 1.0, "signal": null}'

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(7200)]


def test_a_line_is_an_event_or_odd_and_its_neighbours_are_stored() -> None:
    chance = random.Random(1)
    valid = b'{"type":"metric","name":"valid","value":1}'
    for _ in inputs(20_000):
        line = broken(chance.choice(LINES), chance).replace(b"\n", b" ").replace(b"\0", b" ")
        block = b"\n".join((valid, line, valid, b""))
        batch = parse_journal(block, offset=0, next_seq=0)
        assert batch.count + len(batch.odd) == 2 + bool(line.strip())
        assert parse_text(block, offset=0).count >= 2


def test_a_request_is_understood_or_refused_by_an_error_of_ours() -> None:
    chance = random.Random(2)
    spec = RunSpec(run_id=RUN_ID, command=["python", "train.py"], cwd="/tmp", name="x")
    valid = pb.SubmitRunRequest(spec=convert.spec_to_pb(spec), env={"A": "b"}).SerializeToString()
    for _ in inputs(40_000):
        try:
            message: Any = pb.SubmitRunRequest.FromString(broken(valid, chance))
        except DecodeError:
            continue
        try:
            convert.spec_from_pb(message.spec)
        except MosaicError:
            continue


def test_a_record_is_read_or_refused_by_an_error_of_ours() -> None:
    chance = random.Random(3)
    with places.in_memory() as scratch:
        folder = RunFolder(scratch / RUN_ID)
        folder.journal.mkdir(parents=True)
        for _ in inputs(8_000):
            folder.manifest.write_bytes(broken(MANIFEST, chance))
            for path in (folder.exit, folder.proc, folder.control):
                path.write_bytes(broken(EXIT, chance))
            with contextlib.suppress(StoreError):
                runs.read_manifest(folder)
            runs.observe(folder)


def packed(chance: random.Random) -> bytes:
    """A pack that is broken in a member, a name, its list, a header, or its compressed bytes."""
    files = {
        "manifest.json": MANIFEST,
        "exit.json": EXIT,
        "journal/p1x00000000-0000.jsonl": b"\n".join(LINES[:20]) + b"\n",
        "stdout.log": b"text\n",
    }
    where = chance.randrange(5)
    if where == 0:
        name = chance.choice(list(files))
        files[name] = broken(files[name], chance)
    if where == 1:
        files[broken(b"checkpoints/x", chance).decode("utf-8", "replace")] = b"x"
    listed = [archive.PackedFile(n, len(data), hashlib.sha256(data).hexdigest()) for n, data in files.items()]
    about = msgspec.json.encode(archive.PackManifest(run_id=RUN_ID, files=listed))
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in {
            archive.MANIFEST_NAME: broken(about, chance) if where == 2 else about,
            **files,
        }.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    plain = broken(raw.getvalue(), chance) if where == 3 else raw.getvalue()
    data = zstandard.compress(plain)
    return broken(data, chance) if where == 4 else data


def test_a_pack_comes_in_or_is_refused_and_nothing_is_written_outside() -> None:
    chance = random.Random(4)
    taken = 0
    with places.in_memory() as scratch:
        source = scratch / "run.mosaic.tar.zst"
        root = DataRoot(scratch / "inside" / "home")
        root.path.parent.mkdir()
        for _ in inputs(400):
            source.write_bytes(packed(chance))
            try:
                folder, _ = unpack(source, root, reserve_bytes=0)
            except MosaicError:
                pass
            else:
                taken += 1
                assert folder.run_id == RUN_ID
                _remove(folder.path)
            assert {path.name for path in scratch.iterdir()} == {"run.mosaic.tar.zst", "inside"}
            assert {path.name for path in root.path.parent.iterdir()} == {"home"}
            left = {path.name for path in root.path.iterdir()} - {"trust"}
            assert left == {"runs"}, left
            assert list(root.runs.iterdir()) == []
    assert taken


def _remove(path: Path) -> None:
    for each in sorted(path.rglob("*"), reverse=True):
        each.rmdir() if each.is_dir() else each.unlink()
    path.rmdir()
