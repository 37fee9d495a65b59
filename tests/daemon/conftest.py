"""Fixtures of this folder: real daemons."""

from tests.daemons import daemon, shared_daemon

__all__ = ["daemon", "shared_daemon"]
