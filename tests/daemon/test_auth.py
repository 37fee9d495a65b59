"""Nobody calls the daemon without the token."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import grpc
import pytest

from mosaic.daemon.auth import ensure_token
from mosaic.errors import DataRootError
from mosaic.rpc.pb import trainer_pb2 as pb
from tests.daemons import Daemon

METHODS = pb.DESCRIPTOR.services_by_name["TrainerService"].methods


def status_of(channel: Any, path: str, method: Any, metadata: Any) -> grpc.StatusCode:
    """How an empty call of a method ends, by whatever arity it has."""
    kinds = {
        (False, False): channel.unary_unary,
        (False, True): channel.unary_stream,
        (True, True): channel.stream_stream,
    }
    streaming = (method.client_streaming, method.server_streaming) if method else (False, False)
    call = kinds[streaming](path, request_serializer=None, response_deserializer=None)
    request = iter([b""]) if streaming[0] else b""
    try:
        answer = call(request, metadata=metadata, timeout=60)
        if streaming[1]:
            list(answer)
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK


@pytest.mark.parametrize(
    "metadata",
    [
        (),
        (("authorization", "Bearer " + "0" * 64),),
        (("authorization", ""),),
        (("authorization-bin", b"\xff"),),
    ],
    ids=["no token", "wrong token", "empty token", "bytes"],
)
def test_every_method_refuses_a_call_without_the_token(shared_daemon: Daemon, metadata: Any) -> None:
    with grpc.insecure_channel(f"unix:{shared_daemon.root.socket}") as channel:
        for method in METHODS:
            path = f"/mosaic.v1.TrainerService/{method.name}"
            assert status_of(channel, path, method, metadata) is grpc.StatusCode.UNAUTHENTICATED, method.name
    assert shared_daemon.client.status().faults == 0


def test_an_unknown_method_is_not_even_called_unknown_without_the_token(shared_daemon: Daemon) -> None:
    token = shared_daemon.root.token.read_text().strip()
    with grpc.insecure_channel(f"unix:{shared_daemon.root.socket}") as channel:
        assert status_of(channel, "/x.Y/Z", None, ()) is grpc.StatusCode.UNAUTHENTICATED
        known = (("authorization", f"Bearer {token}"),)
        assert status_of(channel, "/x.Y/Z", None, known) is grpc.StatusCode.UNIMPLEMENTED


def test_a_refused_stream_needs_no_first_message(shared_daemon: Daemon) -> None:
    with grpc.insecure_channel(f"unix:{shared_daemon.root.socket}") as channel:
        call = channel.stream_stream("/mosaic.v1.TrainerService/StreamRunSteps")
        with pytest.raises(grpc.RpcError) as caught:
            list(call(iter(()), timeout=60))
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED


def test_the_token_is_secret_private_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "token"
    token = ensure_token(path)
    assert len(token) == 64
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert ensure_token(path) == token
    assert ensure_token(tmp_path / "other") != token


def test_a_token_that_others_could_read_or_that_is_damaged_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "token"
    token = ensure_token(path)
    path.chmod(0o644)
    replaced = ensure_token(path)
    assert replaced != token
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_bytes(b"\xff\xfe")
    assert len(ensure_token(path)) == 64


def test_a_token_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("0" * 64)
    (tmp_path / "token").symlink_to(tmp_path / "real")
    with pytest.raises(DataRootError, match="not a file of yours"):
        ensure_token(tmp_path / "token")
