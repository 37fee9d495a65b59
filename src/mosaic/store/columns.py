"""Step events to columns, a block at a time. Pure. Per-event work is one comprehension per column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt

from mosaic.errors import ProtocolError
from mosaic.protocol import floats
from mosaic.store import values
from mosaic.store.chunks import TERMINATED, TRUNCATED, Steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mosaic.protocol.events import Step

__all__ = ["exact_floats", "to_columns"]

_NULL = b"null"


def exact_floats(column: Sequence[floats.JsonFloat]) -> npt.NDArray[np.float64]:
    """The floats behind a column of wire forms, bit for bit.

    Raises:
        ProtocolError: one of them is a string that names no float.
    """
    plain = np.array(column)
    if plain.dtype != np.float64:  # a string among them makes all of them strings
        plain = np.array([floats.from_json(value) for value in column], np.float64)
    return plain


def to_columns(
    steps: Sequence[Step], seqs: npt.NDArray[np.int64], extras: Mapping[int, bytes] | None = None
) -> Steps:
    """Columns of the given events; `extras` holds unknown fields by index.

    Raises:
        ProtocolError: a value does not fit its column.
    """
    count = len(steps)
    flags = np.zeros(count, np.uint8)
    for bit, told in (
        (TERMINATED, [event.terminated for event in steps]),
        (TRUNCATED, [event.truncated for event in steps]),
    ):
        if True in told:
            flags |= np.array(told, np.uint8) * np.uint8(bit)
    try:
        numbers = np.array([event.step for event in steps], np.int64)
    except OverflowError as error:
        raise ProtocolError("a step number does not fit 64 bits") from error
    extra: values.Values = values.Same(_NULL, count)
    if extras:
        extra = values.Texts([extras.get(index, _NULL) for index in range(count)])
    return Steps(
        seq=seqs,
        step=numbers,
        t=exact_floats([event.t for event in steps]),
        reward=exact_floats([event.reward for event in steps]),
        flags=flags,
        action=values.recognise([event.action for event in steps]),
        obs=values.recognise([event.obs for event in steps]),
        agent=_optional([event.agent_id for event in steps]),
        turn=_optional([event.turn for event in steps]),
        extra=extra,
        rewards=_rarely([event.rewards for event in steps]),
    )


def _rarely(column: Sequence[msgspec.Raw]) -> values.Values:
    """A column that is nearly always null: those are the very default, and cost no look at their text."""
    if column.count(column[0]) == len(column) and bytes(column[0]) == _NULL:
        return values.Same(_NULL, len(column))
    return values.recognise(column)


def _optional(column: Sequence[str | int | None]) -> values.Values:
    if column.count(None) == len(column):
        return values.Same(_NULL, len(column))
    known: dict[str | int | None, bytes] = {item: _json(item) for item in set(column)}
    return values.recognise([known[item] for item in column])


def _json(item: str | int | None) -> bytes:
    if isinstance(item, int) and not isinstance(item, bool):
        return b"%d" % item  # of any size
    return msgspec.json.encode(item)
