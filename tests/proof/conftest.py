"""Fixtures of the proofs."""

from tests.daemons import daemon, shared_daemon

__all__ = ["daemon", "shared_daemon"]
