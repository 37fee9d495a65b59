"""Tables of a run as CSV, JSON lines or Parquet files.

Each file appears whole or not at all, and none is overwritten unless asked. Floats are written so that they
come back bit for bit; non-finite ones by name in CSV and JSON (`NaN`, `Infinity`, `-Infinity`).
"""

from __future__ import annotations

import csv
import itertools
from typing import TYPE_CHECKING, Any, Final

from mosaic.errors import MosaicError, UsageError
from mosaic.exporting import tables
from mosaic.exporting.tensorboard import write_tensorboard
from mosaic.exporting.whole import appearing
from mosaic.store.lines import to_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mosaic.store.reader import StoreReader

__all__ = ["FORMATS", "export"]

FORMATS: Final = ("csv", "jsonl", "parquet", "tensorboard")

_PARQUET_GROUP = 65536
_INT64 = range(-(1 << 63), 1 << 63)


def export(
    reader: StoreReader, kind: str, path: Path, *, table: str | None = None, force: bool = False
) -> list[Path]:
    """Write a run's tables below a folder, or one table as one file.

    Args:
        reader: The store to read.
        kind: One of `FORMATS`.
        path: A folder; or, when it ends in the format's own suffix, the one file to write.
        table: Only this table. Without it, a single file holds `episodes`.
        force: Replace files that are there already.

    Returns:
        The files written.

    Raises:
        UsageError: no such format or table, or a file would be overwritten.
    """
    if kind not in FORMATS:
        raise UsageError(f"there is no export format {kind!r}. There are: {', '.join(FORMATS)}.")
    if table is not None and table not in tables.TABLES:
        raise UsageError(f"there is no table {table!r}. There are: {', '.join(tables.TABLES)}.")
    if kind == "tensorboard":
        return [write_tensorboard(reader, path)]
    if kind == "parquet":
        _require_pyarrow()
    single = path.suffix == f".{kind}"
    chosen = [table or "episodes"] if single else [table] if table else tables.by_default(reader)
    targets = [path] if single else [path / f"{name}.{kind}" for name in chosen]
    _refuse_existing(targets, force=force)
    for name, target in zip(chosen, targets, strict=True):
        with appearing(target) as temporary:
            _WRITERS[kind](reader, name, temporary)
    return targets


def _refuse_existing(targets: Sequence[Path], *, force: bool) -> None:
    there = [target for target in targets if target.exists()]
    if there and not force:
        raise UsageError(f"{there[0]} exists already. Choose another path with -o, or add --force.")


def _write_csv(reader: StoreReader, table: str, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(tables.COLUMNS[table])
        for row in tables.rows(reader, table):
            writer.writerow(_cells(row))


def _cells(row: dict[str, Any]) -> list[Any]:
    cells = []
    for value in tables.named_floats(row.values()):
        if isinstance(value, bool):
            cells.append("true" if value else "false")
        elif isinstance(value, list | dict):
            cells.append(to_bytes(tables.plain_arrays(value)).decode())
        else:
            cells.append(repr(value) if isinstance(value, float) else value)
    return cells


def _write_jsonl(reader: StoreReader, table: str, path: Path) -> None:
    with path.open("wb") as file:
        for row in tables.rows(reader, table):
            file.write(to_bytes(dict(zip(row, tables.named_floats(row.values()), strict=True))) + b"\n")


def _require_pyarrow() -> None:
    try:
        import pyarrow.parquet  # noqa: F401  (an extra)
    except ImportError as error:
        raise MosaicError(
            "Parquet export needs pyarrow, which is not installed. "
            'Install it with: pip install "mosaic-workbench[parquet]"'
        ) from error


def _write_parquet(reader: StoreReader, table: str, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_(), object: pa.string()}
    columns = tables.COLUMNS[table]
    schema = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
    as_json = [name for name, kind in columns.items() if kind is object]
    stream = tables.rows(reader, table)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        while group := list(itertools.islice(stream, _PARQUET_GROUP)):
            for row in group:
                for name in as_json:
                    row[name] = to_bytes(tables.plain_arrays(row[name])).decode()
            try:
                writer.write_table(pa.Table.from_pylist(group, schema=schema))
            except OverflowError as error:
                raise UsageError(_too_large(table, group)) from error


def _too_large(table: str, group: Sequence[dict[str, Any]]) -> str:
    """Why rows cannot be written: an integer of ours has any number of digits, one of Parquet 64 bits."""
    integers = [name for name, kind in tables.COLUMNS[table].items() if kind is int]
    name, value = next(
        (name, row[name])
        for row in group
        for name in integers
        if row[name] is not None and row[name] not in _INT64
    )
    return (
        f"column {name!r} of table {table!r} holds {value}, and Parquet's integers have 64 bits. "
        "Export this table as csv or jsonl: --format jsonl"
    )


_WRITERS: Final = {"csv": _write_csv, "jsonl": _write_jsonl, "parquet": _write_parquet}
