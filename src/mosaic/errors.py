"""Every error MOSAIC raises on purpose, as one tree.

An error says what happened, the value seen, and the way out.

MosaicError
├── UsageError            the request itself cannot work (exit code 2)
│   ├── RunNotFoundError       no run has that id, prefix or name
│   ├── AmbiguousRunError      several runs do
│   └── LaunchRefusedError     a preflight says that a job cannot work
├── DataRootError         the data root is missing, unwritable or readable by others
├── DaemonError           the daemon is unreachable, of another version, or refused
├── StoreError            a store cannot be read or does not agree with its journal
├── ProtocolError         bytes that are not what the protocol says
├── LaunchError           a command could not be started
└── ReplayError           an episode cannot be re-simulated
    ├── ConsentNeededError     a module would have to be imported that was not allowed (exit code 2)
    └── ReplayCancelledError   somebody cancelled it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AmbiguousRunError",
    "ConsentNeededError",
    "DaemonError",
    "DataRootError",
    "LaunchError",
    "LaunchRefusedError",
    "MosaicError",
    "ProtocolError",
    "ReplayCancelledError",
    "ReplayError",
    "RunNotFoundError",
    "StoreError",
    "UsageError",
]


class MosaicError(Exception):
    """The root: catching it catches everything MOSAIC says on purpose."""

    exit_code = 1


class UsageError(MosaicError):
    """The request itself cannot work."""

    exit_code = 2


class RunNotFoundError(UsageError):
    """No run has that id, prefix or name."""


class AmbiguousRunError(UsageError):
    """Several runs have that prefix or name."""


class LaunchRefusedError(UsageError):
    """A preflight says that a job cannot work. Nothing was started. `checks` has all its lines."""

    def __init__(self, text: str, checks: Sequence[object] = ()) -> None:
        super().__init__(text)
        self.checks = list(checks)


class DataRootError(MosaicError):
    """The data root is missing, not writable, or readable by other accounts."""


class DaemonError(MosaicError):
    """The daemon is unreachable, of another version, or refused the call."""


class StoreError(MosaicError):
    """A store cannot be read, or does not agree with its journal."""


class ProtocolError(MosaicError):
    """Bytes that are not what the protocol says."""


class LaunchError(MosaicError):
    """A command could not be started."""


class ReplayError(MosaicError):
    """An episode cannot be re-simulated, or the process that does it failed."""


class ConsentNeededError(ReplayError):
    """A module would have to be imported that nobody allowed: `module`."""

    exit_code = 2

    def __init__(self, text: str, *, module: str = "") -> None:
        super().__init__(text)
        self.module = module


class ReplayCancelledError(ReplayError):
    """Whoever asked for the replay cancelled it."""
