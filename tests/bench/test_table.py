from __future__ import annotations

from bench.table import Row, as_json, as_text


def test_a_row_says_whether_it_reached_its_goal_and_how_it_compares() -> None:
    fast = Row("copy", 2.0, "µs", 3.0, beside="memcpy", beside_value=1.0)
    slow = Row("ingest", 100.0, "events/s", 300.0, more_is_better=True)
    assert (fast.reached, fast.ratio) == (True, 2.0)
    assert (slow.reached, slow.ratio) == (False, None)
    assert Row("info", 1.0, "s").reached is None


def test_the_table_is_aligned_and_the_json_says_the_same() -> None:
    rows = [Row("a", 1234.5, "µs", 2000.0), Row("longer name", 0.5, "s", beside="b", beside_value=0.25)]
    lines = as_text(rows).splitlines()
    assert lines[1].index("µs") == lines[2].index("s  ") == lines[0].index("unit")
    assert "2x" in lines[2]
    assert "b (0.25)" in lines[2]
    assert [row["reached"] for row in as_json(rows)] == [True, None]
