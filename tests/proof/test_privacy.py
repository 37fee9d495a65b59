"""G13: no other account of the machine can call, read or watch anything.

The walk judges by the modes on disk; the intruder is a process of another account; calls without a token are
made for every method the contract has; listening sockets are read from the kernel.
"""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import psutil
import pytest

from mosaic.errors import DataRootError
from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunState
from mosaic.rpc.launch import connect, daemon_running
from mosaic.rpc.pb import trainer_pb2 as pb
from tests.daemons import Daemon, running_daemon
from tests.proof.scenes import bare, environment, until

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65534
RECORDS = "import mosaic_worker as m; run = m.start(); [run.metric('n', i) for i in range(50)]; print('said')"


@pytest.fixture
def careless() -> Iterator[None]:
    """A caller who lets everybody read and write what he makes."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def public_place() -> Iterator[Path]:
    """A folder everybody may enter: what is in it must protect itself."""
    with tempfile.TemporaryDirectory(prefix="mosaic-proof-", dir="/tmp") as name:
        place = Path(name)
        place.chmod(0o755)
        yield place


def open_to_others(*places: Path) -> dict[str, str]:
    """Whatever below these places another account may use, or is not ours, with its mode."""
    found = {}
    for place in places:
        for path in [place, *place.rglob("*")]:
            with contextlib.suppress(FileNotFoundError):
                info = path.lstat()
                mode = stat.S_IMODE(info.st_mode)
                wanted = 0o600 if stat.S_ISREG(info.st_mode) else mode & 0o700
                if not stat.S_ISLNK(info.st_mode) and (mode != wanted or info.st_uid != os.getuid()):
                    found[str(path)] = f"{mode:04o} of uid {info.st_uid}"
    return found


def mosaic(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", 'umask 000; exec "$@"', "sh", sys.executable, "-m", "mosaic", *words]
    env = environment(MOSAIC_HOME=str(home), MOSAIC_DISK_RESERVE_MIB="0")
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=90, check=False)


@pytest.mark.parametrize("home_name", ["home", "a-home-with-a-name-" + "so-long-" * 12])
@pytest.mark.usefixtures("careless")
def test_nothing_a_careless_caller_makes_is_open_to_others(
    public_place: Path, tmp_path: Path, home_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSAIC_DISK_RESERVE_MIB", "0")
    root = DataRoot(public_place / home_name)  # made by the daemon itself
    with running_daemon(root) as daemon:
        places = (root.path, root.socket.parent)
        live = daemon.submit(
            ["sh", "-c", 'while :; do echo \'{"type":"log","text":"x","t":0}\'; sleep 0.05; done']
        )
        recorded = daemon.submit([sys.executable, "-c", RECORDS])
        assert daemon.wait(recorded.run_id).state is RunState.FINISHED
        until(lambda: daemon.client.run(recorded.run_id).metrics == 50)
        until(lambda: daemon.client.run(live.run_id).state is RunState.RUNNING)
        batch = next(iter(daemon.client.stream_metrics(recorded.run_id)))
        assert batch.rows
        daemon.client.rebuild(recorded.run_id)
        assert open_to_others(*places) == {}
        for words in (
            ("run", "--name", "third", "--", "sh", "-c", "echo {"),
            ("export", recorded.run_id, "--format", "csv", "-o", str(tmp_path / "export")),
            ("pack", recorded.run_id, "-o", str(tmp_path / "packed")),
            ("rebuild", recorded.run_id),
            ("verify", recorded.run_id),
        ):
            done = mosaic(root.path, *words)
            assert done.returncode == 0, (words, done.stderr)
        daemon.kill()
        daemon.reconnect()
        daemon.client.stop(live.run_id)
        daemon.wait(live.run_id)
        assert open_to_others(*places) == {}
        assert sum(1 for _ in root.path.rglob("*")) > 40, "the walk saw a whole data root"


def spoil_mode(path: Path) -> None:
    path.chmod(0o755)


def spoil_owner(path: Path) -> None:
    os.chown(path, NOBODY, NOBODY)


def spoil_kind(path: Path) -> None:
    path.rmdir()
    path.symlink_to(path.parent)


@pytest.mark.parametrize("spoil", [spoil_mode, spoil_owner, spoil_kind], ids=["0755", "foreign", "link"])
@pytest.mark.parametrize("which", ["root", "daemon", "runs", "socket"])
def test_a_folder_that_is_not_ours_alone_is_refused(public_place: Path, which: str, spoil: Any) -> None:
    name = "home-" + "so-long-" * 12 if which == "socket" else "home"
    root = DataRoot(public_place / name)
    folder = {"root": root.path, "daemon": root.daemon, "runs": root.runs, "socket": root.socket.parent}[
        which
    ]
    root.path.mkdir(mode=0o700)
    folder.mkdir(mode=0o700, exist_ok=True)
    try:
        spoil(folder)
        with pytest.raises(DataRootError) as refusal:
            connect(root, wait_secs=30)
        assert str(folder) in str(refusal.value)
    finally:
        if which == "socket":
            folder.unlink() if folder.is_symlink() else folder.rmdir()


def test_a_token_that_others_could_read_is_replaced(daemon: Daemon) -> None:
    before = daemon.root.token.read_text()
    daemon.client.shutdown()
    until(lambda: not daemon_running(daemon.root))
    daemon.root.token.chmod(0o644)
    daemon.reconnect()
    assert daemon.root.token.read_text() != before
    assert stat.S_IMODE(daemon.root.token.stat().st_mode) == 0o600


INTRUDER = """
import os, socket, sys
root, sock, token = sys.argv[1:4]
def attempt(what, act):
    try:
        act()
    except PermissionError:
        return
    print(what, "worked")
def call():
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(sock)
attempt("listing", lambda: os.listdir(root))
attempt("reading the token", lambda: open(token).read())
attempt("connecting", call)
attempt("making a file", lambda: open(root + "/x", "w"))
attempt("entering", lambda: os.chdir(root))
"""


@pytest.mark.parametrize("home_name", ["home", "home-" + "so-long-" * 12])
def test_another_account_can_neither_connect_nor_read(public_place: Path, home_name: str) -> None:
    root = DataRoot(public_place / home_name)
    with running_daemon(root) as daemon:
        daemon.wait(daemon.submit(bare("exits", 0)).run_id)
        command = ["/usr/bin/python3", "-c", INTRUDER, str(root.path), str(root.socket), str(root.token)]
        done = subprocess.run(
            command,
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            capture_output=True,
            text=True,
            cwd="/",
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def every_method() -> list[Any]:
    return list(pb.DESCRIPTOR.services_by_name["TrainerService"].methods)


def status_of(channel: Any, path: str, metadata: tuple[tuple[str, str], ...], *, streams: bool) -> Any:
    """The status code of a call with an empty request."""
    raw = {"request_serializer": None, "response_deserializer": None}
    try:
        if streams:
            answers = channel.stream_stream(path, **raw)(iter([b""]), metadata=metadata, timeout=60)
            for _ in answers:
                return grpc.StatusCode.OK
            return answers.code()
        channel.unary_unary(path, **raw)(b"", metadata=metadata, timeout=60)
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def test_every_method_without_the_token_is_refused(shared_daemon: Daemon) -> None:
    token = shared_daemon.root.token.read_text().strip()
    service = pb.DESCRIPTOR.services_by_name["TrainerService"].full_name
    methods = [(method.name, method.client_streaming or method.server_streaming) for method in every_method()]
    assert len(methods) >= 15
    attempts = [
        (),
        (("authorization", ""),),
        (("authorization", "Bearer "),),
        (("authorization", f"Bearer {'0' * len(token)}"),),
        (("authorization", f"Bearer {token[:-1]}"),),
        (("authorization", f"Bearer {token}0"),),
        (("authorization", token),),
        (("token", token), ("x-authorization", f"Bearer {token}")),
    ]
    with grpc.insecure_channel(f"unix:{shared_daemon.root.socket}") as channel:
        for name, streams in [*methods, ("NoSuchMethod", False)]:
            for metadata in attempts:
                code = status_of(channel, f"/{service}/{name}", metadata, streams=streams)
                assert code is grpc.StatusCode.UNAUTHENTICATED, (name, metadata, code)
        right = (("authorization", f"Bearer {token}"),)
        assert status_of(channel, f"/{service}/Status", right, streams=False) is grpc.StatusCode.OK


def test_no_process_of_ours_listens_on_a_network(daemon: Daemon, tmp_path: Path) -> None:
    run_id = daemon.submit(bare("obeys", tmp_path)).run_id
    until(lambda: daemon.client.run(run_id).state is RunState.RUNNING)
    stream = daemon.client.stream_metrics(run_id)
    next(stream)
    ours = [psutil.Process(daemon.pid), *psutil.Process(daemon.pid).children(recursive=True)]
    assert len(ours) >= 4, "daemon, ingest, shim and worker"
    sockets = [one for process in ours for one in process.net_connections(kind="inet")]
    stream.close()
    assert sockets == []
