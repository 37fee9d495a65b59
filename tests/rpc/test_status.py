"""Errors cross the wire as themselves."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from mosaic import errors
from mosaic.rpc.status import ERROR_KEY, code_of, error_of


class Failed(grpc.RpcError):  # type: ignore[misc]  # grpc ships no types
    """A call that ended with a status, as gRPC shows it."""

    def __init__(self, code: grpc.StatusCode, details: str, trailing: Any = ()) -> None:
        self._answers = code, details, trailing

    def code(self) -> grpc.StatusCode:
        return self._answers[0]

    def details(self) -> str:
        return self._answers[1]

    def trailing_metadata(self) -> Any:
        return self._answers[2]


@pytest.mark.parametrize("name", errors.__all__)
def test_an_error_of_ours_comes_back_as_the_same_error_with_the_same_words(name: str) -> None:
    ours = getattr(errors, name)("what happened, the value, the way out")
    back = error_of(Failed(code_of(ours), str(ours), ((ERROR_KEY, name),)), home="/h")
    assert type(back) is type(ours)
    assert str(back) == str(ours)


@pytest.mark.parametrize("name", ["SystemExit", "errors", "__all__", b"UsageError", ""])
def test_only_names_of_our_errors_are_believed(name: Any) -> None:
    back = error_of(Failed(grpc.StatusCode.INTERNAL, "x", ((ERROR_KEY, name),)), home="/h")
    assert type(back) is errors.DaemonError


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (grpc.StatusCode.UNAVAILABLE, "does not answer"),
        (grpc.StatusCode.DEADLINE_EXCEEDED, "in time"),
        (grpc.StatusCode.UNAUTHENTICATED, "token"),
        (grpc.StatusCode.UNIMPLEMENTED, "another version"),
        (grpc.StatusCode.INTERNAL, "INTERNAL"),
    ],
)
def test_what_grpc_says_becomes_words_and_a_way_out(code: grpc.StatusCode, words: str) -> None:
    assert words in str(error_of(Failed(code, "d", None), home="/h"))
