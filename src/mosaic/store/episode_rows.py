"""How an episode's row is laid out and found in its table. Pure; loads nothing that decodes steps."""

from __future__ import annotations

__all__ = [
    "BLOCK",
    "BY_ID",
    "CHANGED",
    "COLUMNS",
    "ENDED",
    "EVERY",
    "MARK_SHIFT",
    "TOLD",
    "join_id",
    "split_id",
]

ENDED = 1
"""A step or an `episode` event said that the episode is over."""
TOLD = 2
"""There was an `episode` event: its counts hold, not ours."""
MARK_SHIFT = 2
"""A row's `flags` are these two, and above them the episode's mark (`protocol.counting`)."""

COLUMNS = "idx, prefix, number, seq, flags, steps, return_, t_start, t_end, env, env_index, pack, rest"
BLOCK = 256
"""Episodes with neighbouring indexes that are looked up together."""
BY_ID = (
    f"SELECT {COLUMNS} FROM episodes JOIN "  # noqa: S608
    "(SELECT block FROM spans WHERE prefix = ?1 AND ?2 BETWEEN low AND high) "
    f"ON idx BETWEEN block * {BLOCK} AND block * {BLOCK} + {BLOCK - 1} WHERE prefix = ?1 AND number = ?2"
)
"""The row of prefix ?1, number ?2."""
_OF_ROLE = f"(?4 < 0 OR flags >> {MARK_SHIFT + 2} & 3 = ?4)"
EVERY = f"SELECT {COLUMNS} FROM episodes WHERE ?1 <= 0 AND idx >= ?2 AND {_OF_ROLE} ORDER BY idx LIMIT ?3"  # noqa: S608
"""The rows from index ?2 on, at most ?3, of role ?4 (-1: of any)."""
CHANGED = (
    f"SELECT {COLUMNS} FROM (SELECT block, seq AS last FROM blocks WHERE seq > ?1) JOIN episodes "  # noqa: S608
    f"ON idx BETWEEN block * {BLOCK} AND block * {BLOCK} + {BLOCK - 1} WHERE seq > ?1 AND idx >= ?2 "
    f"AND {_OF_ROLE} ORDER BY idx LIMIT ?3"
)
"""The rows changed after ?1, from index ?2 on, at most ?3, of role ?4 (-1: of any)."""

_NO_NUMBER = -1
_MAX_DIGITS = 15


def split_id(episode_id: str) -> tuple[str, int]:
    """An id as a prefix many ids share and the number at its end (-1: it ends in none)."""
    prefix = episode_id.rstrip("0123456789")
    digits = episode_id[len(prefix) :]
    if (
        not digits
        or len(digits) > _MAX_DIGITS
        or not digits.isascii()
        or (digits[0] == "0" and digits != "0")
    ):
        return episode_id, _NO_NUMBER
    return prefix, int(digits)


def join_id(prefix: str, number: int) -> str:
    """The id behind `split_id`."""
    return prefix if number == _NO_NUMBER else f"{prefix}{number}"
