"""Where a session listens for people, and in which version of the protocol. Both sides read it here."""

from __future__ import annotations

__all__ = ["PERSON", "PROTOCOL", "SOCKET"]

SOCKET = "session.sock"
"""In the run's folder."""
PROTOCOL = 1
"""What a client names in its first line."""
PERSON = "person"
"""Who decides, in the record, wherever a person does."""
