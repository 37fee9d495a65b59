"""The run list as it is shown."""

from __future__ import annotations

from mosaic.protocol.runs import RunState
from mosaic.ui.runs.model.deletions import Deletions
from mosaic.ui.runs.model.table import Header, RunTable, facts, spoken
from mosaic.ui.shell.model.runs import RunList
from mosaic.ui.shell.model.words import subtitle, title
from tests.ui.rows import row, run_id


def make(*rows: object) -> tuple[RunTable, RunList, Deletions]:
    runs, deletions = RunList(), Deletions()
    runs.update(rows)  # type: ignore[arg-type]
    return RunTable(runs, deletions, clock=lambda: 1000.0), runs, deletions


def ids(*numbers: int) -> list[str]:
    return [run_id(number) for number in numbers]


def test_runs_are_newest_first_and_a_change_of_content_moves_nothing() -> None:
    table, runs, _ = make(row(1), row(2), row(3))
    assert table.entries == ids(3, 2, 1)
    told: list[object] = []
    table.arranged.connect(lambda: told.append("arranged"))
    table.changed.connect(told.append)
    runs.update([row(2, episodes=5)])
    assert told == [frozenset({run_id(2)})]
    assert table.line_of(run_id(2)) == 1


def test_every_word_of_the_filter_has_to_be_somewhere() -> None:
    table, _, _ = make(
        row(1, env_ids=["CartPole-v1"], algorithm="ppo"),
        row(2, env_ids=["FrozenLake-v1"], tags={"kind": "demo"}, state=RunState.FAILED),
        row(3, name="my Lake"),
    )
    for text, left in (
        ("lake", [3, 2]),
        ("LAKE failed", [2]),
        ("kind=demo", [2]),
        ("ppo cart", [1]),
        ("zzz", []),
    ):
        table.set_filter(text)
        assert table.run_ids == ids(*left), text


def test_sorting_puts_what_is_not_known_last_and_keeps_equal_ones_newest_first() -> None:
    table, _, _ = make(
        row(1, mean_return_100=5.0), row(2), row(3, mean_return_100=float("nan")), row(4, mean_return_100=9.0)
    )
    table.set_sort("return")
    assert table.run_ids == ids(4, 1, 3, 2)
    table.set_sort("elapsed")
    assert table.run_ids == ids(1, 2, 3, 4)
    table.set_sort("nonsense")
    assert table.run_ids == ids(4, 3, 2, 1)
    table.set_sort("name")
    assert table.run_ids == ids(1, 2, 3, 4)


def test_groups_have_headers_that_fold_and_runs_without_one_come_last() -> None:
    table, _, _ = make(
        row(1, tags={"k": "b"}), row(2, tags={"k": "a"}), row(3), row(4, tags={"k": "a", "other": "x"})
    )
    table.set_group("tag:k")
    assert table.tag_keys() == ["k", "other"]
    assert table.entries == [
        *(Header("a", "a", 2, False), *ids(4, 2)),
        *(Header("b", "b", 1, False), *ids(1)),
        *(Header("(none)", "(none)", 1, False), *ids(3)),
    ]
    table.fold("a")
    assert table.entries[:2] == [Header("a", "a", 2, True), Header("b", "b", 1, False)]
    table.fold("a")
    assert table.run_ids == ids(4, 2, 1, 3)
    for group in ("env", "algorithm", "runner", "group"):
        table.set_group(group)
        assert set(table.run_ids) == set(ids(1, 2, 3, 4))


def test_a_run_that_is_being_deleted_is_not_there_until_it_is_undone() -> None:
    table, _, deletions = make(row(1), row(2))
    deletions.ask(ids(2))
    assert table.run_ids == ids(1)
    deletions.undo()
    assert table.run_ids == ids(2, 1)


def test_what_a_worker_called_itself_cannot_play_tricks() -> None:
    one = row(1, name="\x1b[31m\u202eevil\n<b>", reason="x\x07", tags={"a": "\x1b"}, env_ids=["<i>\x00"])
    for text in (title(one), subtitle(one), facts(one, 5.0), spoken(one, 5.0).replace("\n", "")):
        assert all(letter.isprintable() for letter in text)
    assert title(one).endswith("<b>")


def test_a_line_says_how_long_how_many_how_well_how_fast() -> None:
    one = row(1, started=10.0, episodes=1234, mean_return_100=195.25, steps_per_sec=5231.0)
    assert facts(one, 75.0) == "1 min 05 s · 1,234 ep · mean 195.25 · 5,231/s"
    assert facts(row(1, started=10.0, ended=12.5, steps_per_sec=3.0), 75.0) == "2.5 s · 0 ep"
    assert facts(row(1, started=None), 75.0) == "- · 0 ep"
    assert facts(row(1, started=None, warned=1), 75.0) == "- · 0 ep · 1 warning"
    assert "2 warnings: see its details" in spoken(row(1, warned=2), 75.0)


def test_a_thousand_runs_are_arranged_again_only_when_their_order_changes() -> None:
    table, runs, _ = make(*(row(number) for number in range(1000)))
    told: list[str] = []
    table.arranged.connect(lambda: told.append("arranged"))
    table.changed.connect(lambda moved: told.append(f"{len(moved)} changed"))
    runs.update([row(number, episodes=1) for number in range(1000)])
    assert told == ["1000 changed"]


def test_every_state_has_its_place_in_the_order_of_states() -> None:
    table, _, _ = make(*(row(n, state=state) for n, state in enumerate(RunState)))
    table.set_sort("state")
    assert len(table.run_ids) == len(RunState)
    states = [*RunState]
    assert states[int(ids(*range(len(states))).index(table.run_ids[0]))] is RunState.RUNNING
    assert states[int(ids(*range(len(states))).index(table.run_ids[-1]))] is RunState.FINISHED
