"""A run as tables, streamed row by row. What every table format writes; knows no format itself.

Episodes, steps and metrics, and one table for each kind of event that `mosaic events` lists.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

import msgspec

from mosaic.protocol import floats
from mosaic.protocol.rows import EpisodeRow, MetricRow, StepRow
from mosaic.store.kinds import LISTED, SHARED_TABLE, columns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mosaic.store.reader import StoreReader

__all__ = ["COLUMNS", "TABLES", "by_default", "plain_arrays", "rows"]

_KINDS: Final = {kind.name if kind.table == SHARED_TABLE else kind.table: kind for kind in LISTED.values()}
_ALWAYS: Final = ("episodes", "steps", "metrics")
TABLES: Final = (*_ALWAYS, *_KINDS)

COLUMNS: Final[dict[str, dict[str, type]]] = {
    "episodes": {**columns_of(EpisodeRow), "reset_observation": object},
    "steps": {"episode_id": str, "index": int, **columns_of(StepRow)},
    "metrics": columns_of(MetricRow),
    **{table: kind.columns for table, kind in _KINDS.items()},
}
"""The columns of each table and what they hold; `object` is any JSON value."""

_PAGE = 4096


def by_default(reader: StoreReader) -> list[str]:
    """The tables of an export that names none: the first three, and those about steps that have rows."""
    told = [table for table, kind in _KINDS.items() if kind.by_step and reader.events(kind.name, limit=1)]
    return [*_ALWAYS, *told]


def rows(reader: StoreReader, table: str) -> Iterator[dict[str, Any]]:
    """The rows of a table in order, a bounded number in memory at a time."""
    if table == "episodes":
        for episode in _episodes(reader):
            yield {**_pick(episode, table), "reset_observation": reader.reset(episode.index).get("obs")}
    elif table == "steps":
        for episode in _episodes(reader):
            yield from _steps(reader, episode)
    elif table == "metrics":
        yield from _metrics(reader)
    else:
        yield from _events(reader, table)


def _pick(row: object, table: str) -> dict[str, Any]:
    own = (name for name in COLUMNS[table] if name != "reset_observation")
    return {name: getattr(row, "return_" if name == "return" else name) for name in own}


def _episodes(reader: StoreReader) -> Iterator[EpisodeRow]:
    first = 0
    while page := reader.episodes(first_index=first, limit=_PAGE):
        yield from page
        first = page[-1].index + 1


def _steps(reader: StoreReader, episode: EpisodeRow) -> Iterator[dict[str, Any]]:
    first = 0
    while page := reader.steps(episode.index, first=first, limit=_PAGE):
        for step in page:
            own = {"episode_id": episode.episode_id, "index": episode.index}
            yield {name: own[name] if name in own else getattr(step, name) for name in COLUMNS["steps"]}
        first += len(page)


def _metrics(reader: StoreReader) -> Iterator[dict[str, Any]]:
    since = 0
    while page := reader.metrics(since_seq=since, limit=_PAGE):
        yield from (_pick(row, "metrics") for row in page)
        since = page[-1].seq


def _events(reader: StoreReader, table: str) -> Iterator[dict[str, Any]]:
    """The events of a kind; what is not one of them by today's rules `mosaic events --json` alone gives."""
    from mosaic.store.eventlog import typed

    kind = _KINDS[table]
    attributes = {field.encode_name: field.name for field in msgspec.structs.fields(kind.event)}
    for event in map(typed, reader.each_event(kind.name)):
        if isinstance(event, kind.event):
            yield {name: getattr(event, attributes[name]) for name in kind.columns}


def plain_arrays(value: Any) -> Any:
    """A JSON value with its inline arrays written out as lists; checksums stay what they are."""
    if isinstance(value, dict):
        if "nd" in value and "b64" in value:
            return _list_of(value)
        return {key: plain_arrays(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain_arrays(item) for item in value]
    return value


def _list_of(value: dict[str, Any]) -> Any:
    import numpy as np

    try:
        dtype = np.dtype(value["nd"])
        if dtype.hasobject:
            return value
        array = np.frombuffer(base64.b64decode(value["b64"]), dtype=dtype).reshape(value["shape"])
        return _named(array.tolist())
    except (ValueError, TypeError, KeyError):
        return value  # not an array after all: hand it on as it came


def _named(value: Any) -> Any:
    if isinstance(value, float):
        return floats.to_json(value)
    if isinstance(value, list):
        return [_named(item) for item in value]
    return value if isinstance(value, int | str | bool) else str(value)


def named_floats(values: Iterable[Any]) -> Iterator[Any]:
    """The values with non-finite floats by name."""
    return (floats.to_json(value) if isinstance(value, float) else value for value in values)
