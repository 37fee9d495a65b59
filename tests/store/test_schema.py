"""The store's file: made private, migrated once, floats and integers kept exactly."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.errors import StoreError
from mosaic.store import schema
from tests.store.test_chunks import any_float

if TYPE_CHECKING:
    from pathlib import Path


@given(any_float)
def test_every_float_goes_through_sqlite_bit_for_bit(value: float) -> None:
    db = apsw.Connection(":memory:")
    db.execute("CREATE TABLE t (v REAL NOT NULL)")
    db.execute("INSERT INTO t VALUES (?)", (schema.to_sql(value),))
    back = schema.to_float(db.execute("SELECT v FROM t").get)
    db.close()
    assert struct.pack("<d", back) == struct.pack("<d", value)


@given(st.integers() | st.none())
def test_every_integer_goes_through_sqlite(value: int | None) -> None:
    db = apsw.Connection(":memory:")
    db.execute("CREATE TABLE t (v INTEGER)")
    db.execute("INSERT INTO t VALUES (?)", (schema.int_to_sql(value),))
    assert schema.to_int(db.execute("SELECT v FROM t").get) == value
    db.close()


def test_a_new_store_is_private_and_of_this_version(tmp_path: Path) -> None:
    path = tmp_path / "telemetry.sqlite"
    db = schema.open_writer(path)
    assert db.pragma("user_version") == schema.VERSION
    assert db.pragma("journal_mode") == "wal"
    assert path.stat().st_mode & 0o777 == 0o600
    db.close()


def test_a_store_of_a_later_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "telemetry.sqlite"
    db = schema.open_writer(path)
    db.pragma("user_version", schema.VERSION + 1)
    db.close()
    for opening in (schema.open_writer, schema.open_reader):
        with pytest.raises(StoreError, match=f"layout {schema.VERSION + 1}"):
            opening(path)
    assert path.exists()


def test_readers_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "telemetry.sqlite"
    schema.open_writer(path).close()
    db = schema.open_reader(path)
    with pytest.raises(apsw.ReadOnlyError):
        db.execute("DELETE FROM episodes")
    db.close()


def test_a_file_that_is_no_database_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "telemetry.sqlite"
    path.write_bytes(b"hello" * 1000)
    with pytest.raises(apsw.NotADBError) as caught:
        schema.open_writer(path)
    assert schema.is_damage(caught.value)
    assert not schema.is_damage(apsw.FullError("disk full"))


def test_a_reader_that_comes_while_the_file_is_still_empty_reads_what_is_made_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "telemetry.sqlite"
    path.touch()
    made: list[apsw.Connection] = []

    class Early(apsw.Connection):
        """Looks at the empty file; the whole store is made before it looks again."""

        def pragma(self, *words: object, **more: object) -> object:
            if not made:
                monkeypatch.undo()
                other = tmp_path / "other.sqlite"
                made.append(schema.open_writer(other))
                made[0].wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                path.write_bytes(other.read_bytes())
            return super().pragma(*words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(apsw, "Connection", Early)
    db = schema.open_reader(path)
    assert db.pragma("user_version") == schema.VERSION
    db.close()
    made[0].close()
