"""Who may call the daemon: whoever can read the token file, which is its owner alone.

gRPC on a Unix socket asks for no uid. The socket's folder is closed to others, and every call carries the
token all the same: a call of any method, known or not, ends without it before anything of it is looked at.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import stat
from typing import TYPE_CHECKING, Any

import grpc

from mosaic.errors import DataRootError
from mosaic.runs.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

__all__ = ["TokenInterceptor", "ensure_token"]

_TOKEN = re.compile(r"[0-9a-f]{64}")


def ensure_token(path: Path) -> str:
    """The token in a file, made anew when it is missing, damaged, or was ever open to others.

    It is kept over restarts, so that a client which outlives a daemon finds the next one with it.

    Raises:
        DataRootError: the file belongs to another account or is not a plain file.
    """
    try:
        info = path.lstat()
    except FileNotFoundError:
        return _new_token(path)
    if not stat.S_ISREG(info.st_mode) or info.st_uid != os.getuid():
        raise DataRootError(f"{path} is not a file of yours (uid {info.st_uid}). Remove it.")
    if info.st_mode & 0o077:
        return _new_token(path)
    token = path.read_text(errors="replace").strip()
    return token if _TOKEN.fullmatch(token) else _new_token(path)


def _new_token(path: Path) -> str:
    token = secrets.token_hex(32)
    write_atomically(path, token.encode() + b"\n")
    return token


class TokenInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[misc]  # grpc ships no types
    """Ends every call without the token as UNAUTHENTICATED, whatever its method."""

    def __init__(self, token: str) -> None:
        self._expected = f"Bearer {token}".encode()
        # A streaming handler, as it may refuse before the first request; the status ends unary calls too.
        self._refusal = grpc.stream_stream_rpc_method_handler(_refuse)

    async def intercept_service(
        self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any
    ) -> Any:
        """Called by gRPC for every call, before its handler is looked up."""
        for key, value in handler_call_details.invocation_metadata or ():
            if key == "authorization":
                given = value if isinstance(value, bytes) else value.encode()
                if hmac.compare_digest(given, self._expected):
                    return await continuation(handler_call_details)
        return self._refusal


async def _refuse(_requests: Any, context: Any) -> None:
    await context.abort(
        grpc.StatusCode.UNAUTHENTICATED,
        "this call carries no valid token: send 'authorization: Bearer <content of the token file>'",
    )
