"""Errors across the wire: a status code and a sentence on the way out, the same exception on the way in.

The name of the exception travels in the trailing metadata, because one status code stands for several.
"""

from __future__ import annotations

from typing import Any

import grpc

from mosaic import errors

__all__ = ["ERROR_KEY", "VERSION_KEY", "code_of", "error_of"]

ERROR_KEY = "mosaic-error"
VERSION_KEY = "mosaic-version"

_CODES: dict[str, grpc.StatusCode] = {
    "RunNotFoundError": grpc.StatusCode.NOT_FOUND,
    "AmbiguousRunError": grpc.StatusCode.INVALID_ARGUMENT,
    "UsageError": grpc.StatusCode.INVALID_ARGUMENT,
    "ProtocolError": grpc.StatusCode.INVALID_ARGUMENT,
    "DataRootError": grpc.StatusCode.FAILED_PRECONDITION,
    "DaemonError": grpc.StatusCode.FAILED_PRECONDITION,
    "LaunchError": grpc.StatusCode.FAILED_PRECONDITION,
    "StoreError": grpc.StatusCode.DATA_LOSS,
}


def code_of(error: errors.MosaicError) -> grpc.StatusCode:
    """The status a call ends with for an error of ours."""
    return _CODES.get(type(error).__name__, grpc.StatusCode.INTERNAL)


def error_of(error: Any, *, home: str) -> errors.MosaicError:
    """Our exception for a call that failed (`error` is a grpc.RpcError with its call's status)."""
    code, details = error.code(), error.details() or ""
    named = {str(key): value for key, value in error.trailing_metadata() or ()}.get(ERROR_KEY)
    if isinstance(named, str) and named in errors.__all__:
        kind: type[errors.MosaicError] = getattr(errors, named)
        return kind(details)
    if code is grpc.StatusCode.UNAVAILABLE:
        return errors.DaemonError(f"The daemon of {home} does not answer. Start it with: mosaic daemon start")
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return errors.DaemonError(
            f"The daemon of {home} did not answer in time. Look into daemon/daemon.log there, "
            "or restart it (runs go on): mosaic daemon stop"
        )
    if code is grpc.StatusCode.UNAUTHENTICATED:
        return errors.DaemonError(
            f"The daemon of {home} does not accept the token in daemon/token there. "
            "Restart it (runs go on): mosaic daemon stop"
        )
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return errors.DaemonError(
            f"The daemon of {home} does not know this call; it is of another version. "
            "Restart it (runs go on): mosaic daemon stop"
        )
    return errors.DaemonError(f"The daemon of {home} failed at this call ({code.name}): {details}")
