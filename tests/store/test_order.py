"""episodes.order: an index once promised stays promised."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mosaic.store.order import OrderFile

if TYPE_CHECKING:
    from mosaic.paths import RunFolder


def test_indexes_are_the_numbers_of_the_lines(folder: RunFolder) -> None:
    order = OrderFile(folder.order, known_lines=0, known_bytes=0)
    assert [order.index_of(name) for name in ("a", 'b"\n', "c")] == [0, 1, 2]
    order.flush()
    order.close()
    assert folder.order.read_bytes() == b'"a"\n"b\\"\\n"\n"c"\n'
    again = OrderFile(folder.order, known_lines=0, known_bytes=0)
    assert [again.index_of(name) for name in ("c", "new", "a")] == [2, 3, 0]
    again.close()


def test_a_torn_last_line_is_dropped_and_a_damaged_one_keeps_its_number(folder: RunFolder) -> None:
    folder.order.write_bytes(b'"a"\n#### \n"c"\n"to')
    order = OrderFile(folder.order, known_lines=0, known_bytes=0)
    assert order.index_of("c") == 2
    assert order.index_of("torn") == 3
    order.flush()
    order.close()
    assert folder.order.read_bytes() == b'"a"\n#### \n"c"\n"torn"\n'


def test_a_file_cut_short_says_so_and_is_rewritten(folder: RunFolder) -> None:
    folder.order.write_bytes(b'"a"\n')
    order = OrderFile(folder.order, known_lines=3, known_bytes=12)
    assert order.short
    order.rewrite(["a", None, "c"])
    assert order.index_of("d") == 3
    order.flush()
    order.close()
    assert folder.order.read_bytes() == b'"a"\nnull\n"c"\n"d"\n'


def test_a_line_without_end_is_cut_off_and_not_read_to_its_end(folder: RunFolder) -> None:
    ours = b'"a"\n"b"\n'
    folder.order.write_bytes(ours)
    os.truncate(folder.order, 1 << 40)
    order = OrderFile(folder.order, known_lines=0, known_bytes=0)
    assert order.index_of("b") == 1
    assert order.index_of("new") == 2
    order.close()
    assert folder.order.read_bytes() == ours
