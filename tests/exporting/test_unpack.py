"""Packed runs from strangers: each lie costs the liar the import, and us nothing."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
import zstandard
from ulid import ULID

from mosaic.errors import ProtocolError, UsageError
from mosaic.exporting import archive
from mosaic.exporting.pack import pack
from mosaic.exporting.unpack import unpack
from mosaic.paths import DataRoot
from mosaic.protocol.runs import ExitRecord, RunSpec
from mosaic.runs.files import write_json
from mosaic.runs.folder import create, ended
from mosaic.store.blocks import BLOCK_BYTES, frame
from mosaic.store.reader import StoreReader

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

RUN_ID = str(ULID())


@pytest.fixture
def run(home: Path) -> RunFolder:
    """An ended run with a little of everything."""
    folder = create(DataRoot(home), RunSpec(run_id=RUN_ID, command=["true"], cwd="/"), created=1.0)
    line = b'{"type":"metric","name":"x","value":1.5,"seq":1,"t":1.0}\n'
    hello = b'{"type":"hello","protocol":1,"producer":"p1xabcdef01","seq":0,"t":1.0}\n'
    (folder.journal / "p1xabcdef01-0000.jsonl").write_bytes(hello + line)
    folder.stdout.write_bytes(b"out")
    (folder.path / "checkpoints").mkdir(mode=0o700)
    (folder.path / "checkpoints" / "model.pt").write_bytes(bytes(3_000_000))
    write_json(folder.exit, ExitRecord(code=0, t=2.0))
    return folder


Members = list[tuple[tarfile.TarInfo, bytes]]
Lie = Callable[[archive.PackManifest, Members], archive.PackManifest]


def _forge(run: RunFolder, target: Path, change: Lie, *, list_first: bool = True) -> None:
    """A packed run, with whatever lie `change` puts into it."""
    members: Members = []
    listed = []
    for path in archive.own_files(run)[0]:
        data, name = path.read_bytes(), path.relative_to(run.path).as_posix()
        member = tarfile.TarInfo(name)
        member.size = len(data)
        members.append((member, data))
        listed.append(archive.PackedFile(name, len(data), hashlib.sha256(data).hexdigest()))
    manifest = change(archive.PackManifest(run_id=run.run_id, files=listed), members)
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        encoded = msgspec.json.encode(manifest)
        first = tarfile.TarInfo(archive.MANIFEST_NAME)
        first.size = len(encoded)
        members.insert(0 if list_first else 1, (first, encoded))
        for member, data in members:
            tar.addfile(member, io.BytesIO(data))
    target.write_bytes(zstandard.compress(raw.getvalue()))


def _add(
    name: str, *, kind: bytes = tarfile.REGTYPE, link: str = "", data: bytes = b"x", listed: bool = True
) -> Lie:
    def change(manifest: archive.PackManifest, members: Members) -> archive.PackManifest:
        member = tarfile.TarInfo(name)
        member.type, member.linkname, member.size = kind, link, len(data) if kind == tarfile.REGTYPE else 0
        members.append((member, data))
        extra = archive.PackedFile(name, member.size, hashlib.sha256(data).hexdigest())
        return msgspec.structs.replace(manifest, files=[*manifest.files, *([extra] if listed else [])])

    return change


def _drop(manifest: archive.PackManifest, members: Members) -> archive.PackManifest:
    members.pop()
    return manifest


def _other_bytes(manifest: archive.PackManifest, members: Members) -> archive.PackManifest:
    member, data = members[-1]
    members[-1] = (member, data[:-1] + b"!")
    return manifest


def _longer(manifest: archive.PackManifest, members: Members) -> archive.PackManifest:
    member, data = members[-1]
    member.size += 50_000_000
    members[-1] = (member, data + bytes(50_000_000))
    return manifest


def _bomb(manifest: archive.PackManifest, members: Members) -> archive.PackManifest:
    small = [msgspec.structs.replace(file, size=10) for file in manifest.files]
    return msgspec.structs.replace(manifest, files=small)


def _rename(run_id: str) -> Lie:
    return lambda manifest, _: msgspec.structs.replace(manifest, run_id=run_id)


LIES: dict[str, Lie] = {
    "absolute path": _add("/tmp/mosaic-evil"),
    "climbs out": _add("../../evil"),
    "hidden climb": _add("checkpoints/../../evil"),
    "symbolic link": _add("link", kind=tarfile.SYMTYPE, link="/etc/passwd", data=b""),
    "hard link": _add("link", kind=tarfile.LNKTYPE, link="stdout.log", data=b""),
    "device": _add("dev", kind=tarfile.CHRTYPE, data=b""),
    "pipe": _add("pipe", kind=tarfile.FIFOTYPE, data=b""),
    "folder": _add("folder", kind=tarfile.DIRTYPE, data=b""),
    "a store of its own": _add("telemetry.sqlite"),
    "a standing order": _add("control.json"),
    "not in the list": _add("extra", listed=False),
    "twice": _add("stdout.log"),
    "missing": _drop,
    "other bytes": _other_bytes,
    "longer than declared": _longer,
    "declared smaller": _bomb,
    "run id that is a path": _rename("../../evil"),
    "run id of another run": _rename(str(ULID())),
    "a record's name as a folder": _add("exit.json/x"),
    "another record's name as a folder": _add("proc.json/x/y"),
    "an output's name as a folder": _add("stderr.log/x"),
    "a lock's name as a folder": _add("shim.lock/x"),
    "a segment's name as a folder": _add("journal/p1xabcdef01-0001.jsonl/x"),
    "the journal as a file": _add("journal"),
    "a record in another spelling": _add("EXIT.json"),
    "the journal in another spelling": _add("Journal/p1xabcdef01-0001.jsonl"),
    "a file that is a folder too": _add("stdout.log/x"),
    "a file that is another's folder": _add("checkpoints/model.pt/x"),
    "sparse": _add("sparse", kind=tarfile.GNUTYPE_SPARSE, data=b""),
    "continued": _add("continued", kind=tarfile.CONTTYPE, data=b""),
    "too deep": _add("/".join("abcdefghijklmnopqrstuvwxyz0123456789")),
    "a name too long": _add("/".join(["x" * 200] * 6)),
    "a part too long": _add("é" * 128),
    "empty parts": _add("checkpoints//x"),
    "a backslash": _add("..\\evil"),
    "a line break in a name": _add("a\nb"),
    "too many files": lambda manifest, _: msgspec.structs.replace(
        manifest, files=manifest.files + [archive.PackedFile(f"f/{n}", 0, "") for n in range(100_001)]
    ),
    "more than it may become": lambda manifest, _: msgspec.structs.replace(
        manifest, files=[*manifest.files, archive.PackedFile("huge", 1 << 42, "")]
    ),
    "a negative size": lambda manifest, _: msgspec.structs.replace(
        manifest, files=[*manifest.files, archive.PackedFile("less", -1, "")]
    ),
    "run id in small letters": _rename(RUN_ID.lower()),
    "a later format": lambda manifest, _: msgspec.structs.replace(manifest, format=2),
}


@pytest.mark.parametrize("lie", list(LIES))
def test_a_lie_is_refused_and_leaves_nothing_behind(run: RunFolder, tmp_path: Path, lie: str) -> None:
    packed = tmp_path / "evil.mosaic.tar.zst"
    _forge(run, packed, LIES[lie])
    elsewhere = DataRoot(tmp_path / "elsewhere")
    with pytest.raises(ProtocolError):
        unpack(packed, elsewhere)
    assert [path for path in elsewhere.path.rglob("*") if path != elsewhere.runs] == []
    assert not (tmp_path / "evil").exists()


def test_a_lie_about_the_run_id_in_both_manifests_is_refused_too(run: RunFolder, tmp_path: Path) -> None:
    def spell_small(manifest: archive.PackManifest, members: Members) -> archive.PackManifest:
        small = RUN_ID.lower()
        files = []
        for at, (member, written) in enumerate(members):
            is_record = member.name == "manifest.json"
            data = written.replace(RUN_ID.encode(), small.encode()) if is_record else written
            members[at] = (member, data)
            files.append(archive.PackedFile(member.name, len(data), hashlib.sha256(data).hexdigest()))
        return msgspec.structs.replace(manifest, run_id=small, files=files)

    packed = tmp_path / "small.mosaic.tar.zst"
    _forge(run, packed, spell_small)
    with pytest.raises(ProtocolError, match="capitals"):
        unpack(packed, DataRoot(tmp_path / "elsewhere"))


def _sealed(data: bytes) -> Lie:
    return _add("journal/p1xabcdef01-0001.jsonl.zst", data=data)


def test_a_line_of_gigabytes_in_a_small_sealed_segment_is_refused(run: RunFolder, tmp_path: Path) -> None:
    bomb = zstandard.ZstdCompressor(level=6).compressobj()
    one_frame = b"".join([bomb.compress(b"x" * (64 << 20)) for _ in range(64)] + [bomb.flush()])
    block = b"x" * BLOCK_BYTES
    blocks = b"".join(frame(block, offset=n * BLOCK_BYTES) for n in range(2_000))
    assert max(len(one_frame), len(blocks)) < 200_000
    packed = tmp_path / "evil.mosaic.tar.zst"
    elsewhere = DataRoot(tmp_path / "elsewhere")
    for data in (one_frame, blocks):
        _forge(run, packed, _sealed(data))
        with pytest.raises(ProtocolError, match="a thousand times its size"):
            unpack(packed, elsewhere)
        assert [path for path in elsewhere.path.rglob("*") if path != elsewhere.runs] == []


def test_a_damaged_segment_comes_in_with_a_hole(run: RunFolder, tmp_path: Path) -> None:
    packed = tmp_path / "run.mosaic.tar.zst"
    _forge(run, packed, _sealed(b"no zstd at all"))
    folder, _ = unpack(packed, DataRoot(tmp_path / "elsewhere"))
    with StoreReader(folder) as reader:
        assert [(name, at) for name, at, *_ in reader.holes()] == [("p1xabcdef01-0001.jsonl", 0)]
        assert reader.summary().metrics == 1


def test_what_it_may_become_is_said_by_the_caller(run: RunFolder, tmp_path: Path) -> None:
    packed = tmp_path / "run.mosaic.tar.zst"
    pack(run, packed)
    elsewhere = DataRoot(tmp_path / "elsewhere")
    with pytest.raises(ProtocolError, match="--max-gib"):
        unpack(packed, elsewhere, max_bytes=2_000_000)
    with pytest.raises(UsageError, match="are free"):
        unpack(packed, elsewhere, reserve_bytes=1 << 60)
    assert unpack(packed, elsewhere, max_bytes=4_000_000)[1]


def test_what_a_killed_unpack_left_goes_with_the_next(run: RunFolder, tmp_path: Path) -> None:
    packed = tmp_path / "run.mosaic.tar.zst"
    pack(run, packed)
    elsewhere = DataRoot(tmp_path / "elsewhere")
    left = elsewhere.path / ".unpack-killed"
    (left / RUN_ID).mkdir(parents=True, mode=0o700)
    elsewhere.path.chmod(0o700)
    (left / RUN_ID / "stdout.log").write_bytes(b"half")
    unpack(packed, elsewhere)
    assert {path.name for path in elsewhere.path.iterdir()} == {"runs"}


def test_an_honest_one_comes_in_whole_private_and_with_a_store(run: RunFolder, tmp_path: Path) -> None:
    packed = tmp_path / "run.mosaic.tar.zst"
    _forge(run, packed, lambda manifest, _: manifest)
    elsewhere = DataRoot(tmp_path / "elsewhere")
    folder, new = unpack(packed, elsewhere)
    assert new
    assert folder.store.exists()
    assert archive.contents(folder) == archive.contents(run)
    assert all(path.stat().st_mode & 0o077 == 0 for path in elsewhere.path.rglob("*"))
    assert {path.name for path in elsewhere.path.iterdir()} == {"runs"}


def test_what_was_dropped_of_a_log_takes_no_room_in_the_copy_either(run: RunFolder, tmp_path: Path) -> None:
    with run.stderr.open("wb") as log:
        for stretch in (b"the beginning\n", b"the middle\n"):
            log.write(stretch)
            log.seek(16 << 20, os.SEEK_CUR)
        log.truncate(log.tell())  # a gap at the very end too
    with run.stdout.open("wb") as log:
        log.seek(16 << 20)
        log.write(b"the end\n")
    packed = tmp_path / "run.mosaic.tar.zst"
    pack(run, packed)
    folder, _ = unpack(packed, DataRoot(tmp_path / "elsewhere"))
    assert archive.contents(folder) == archive.contents(run)
    for path in (folder.stdout, folder.stderr):
        assert path.stat().st_size > 16 << 20
        assert path.stat().st_blocks * 512 < 4 << 20


def test_a_run_without_an_exit_record_comes_in_as_ended(run: RunFolder, tmp_path: Path) -> None:
    run.exit.unlink()
    packed = tmp_path / "run.mosaic.tar.zst"
    _forge(run, packed, lambda manifest, _: manifest)
    folder, _ = unpack(packed, DataRoot(tmp_path / "elsewhere"))
    assert ended(folder)


def test_a_cut_off_file_is_refused(run: RunFolder, tmp_path: Path) -> None:
    packed = tmp_path / "run.mosaic.tar.zst"
    pack(run, packed)
    whole = packed.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 20):
        packed.write_bytes(whole[:length])
        with pytest.raises(ProtocolError):
            unpack(packed, DataRoot(tmp_path / "elsewhere"))


def test_a_stream_of_endless_zeros_is_refused_early(tmp_path: Path) -> None:
    packed = tmp_path / "zeros.mosaic.tar.zst"
    compressor = zstandard.ZstdCompressor().compressobj()
    member = tarfile.TarInfo(archive.MANIFEST_NAME)
    member.size = 1 << 40
    head = member.tobuf(tarfile.GNU_FORMAT)
    packed.write_bytes(compressor.compress(head + bytes(200 << 20)) + compressor.flush())
    with pytest.raises(ProtocolError):
        unpack(packed, DataRoot(tmp_path / "elsewhere"))


@pytest.mark.parametrize("listed", [False, True], ids=["before the list of files", "after it"])
def test_a_header_that_unpacks_to_more_than_was_declared_is_refused_as_such(
    run: RunFolder, tmp_path: Path, listed: bool
) -> None:
    def bomb(manifest: archive.PackManifest, members: Members) -> archive.PackManifest:
        """A member's name, which tar readers take whole into memory."""
        long_name = tarfile.TarInfo("././@LongLink")
        long_name.type, long_name.size = tarfile.GNUTYPE_LONGNAME, (4 << 20 if listed else 70 << 20)
        members.insert(0, (long_name, b"x" * long_name.size))
        return manifest

    packed = tmp_path / "evil.mosaic.tar.zst"
    _forge(run, packed, bomb, list_first=listed)
    with pytest.raises(ProtocolError, match="it unpacks to more than"):
        unpack(packed, DataRoot(tmp_path / "elsewhere"))


def test_an_id_that_is_here_is_left_alone_if_the_same_and_else_refused(
    run: RunFolder, tmp_path: Path, home: Path
) -> None:
    packed = tmp_path / "run.mosaic.tar.zst"
    pack(run, packed)
    assert unpack(packed, DataRoot(home)) == (run, False)
    run.stdout.write_bytes(b"other")
    with pytest.raises(UsageError, match="differs"):
        unpack(packed, DataRoot(home))
    assert run.stdout.read_bytes() == b"other"
