"""The commands that read a run: ls, show, episodes, steps, metrics, logs, verify."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said

pytestmark = pytest.mark.usefixtures("recorded")


def _strict(text: str) -> Any:
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"bare {name} in JSON"))


def _lines(text: str) -> list[Any]:
    return [_strict(line) for line in text.splitlines()]


def test_ls_shows_name_state_and_counts(mosaic: Callable[..., Said]) -> None:
    said = mosaic("ls")
    assert said.code == 0
    head, line = said.out.splitlines()
    assert head.split()[:3] == ["RUN", "NAME", "STATE"]
    assert line.split()[1:3] == ["printed", "finished"]


def test_ls_json_has_a_line_per_run(mosaic: Callable[..., Said]) -> None:
    (row,) = _lines(mosaic("ls", "--json").out)
    assert (row["name"], row["state"], row["episodes"], row["steps"]) == ("printed", "finished", 3, 12)
    assert (row["exit"]["code"], row["exit"]["signal"]) == (0, None)


def test_ls_filters_by_state_and_tag(mosaic: Callable[..., Said]) -> None:
    assert mosaic("ls", "--json", "--state", "failed").out == ""
    assert len(_lines(mosaic("ls", "--json", "--tag", "kind=test").out)) == 1
    said = mosaic("ls", "--tag", "kind=other")
    assert (said.out, said.code) == ("", 0)
    assert "mosaic ls --all" in said.err
    assert mosaic("ls", "--tag", "kind").code == 2


def test_show_json_keeps_its_contract(mosaic: Callable[..., Said]) -> None:
    document = _strict(mosaic("show", "last", "--json").out)
    contract = [
        "run_id",
        "name",
        "state",
        "reason",
        "exit",
        "command",
        "episodes",
        "steps",
        "metrics",
        "quarantined",
        "store_seq",
        "lag_events",
    ]
    assert set(contract) <= document.keys()
    assert document["exit"]["code"] == 0
    assert document["exit"]["signal"] is None
    assert (document["episodes"], document["steps"], document["metrics"]) == (3, 12, 3)
    assert (document["quarantined"], document["lag_events"]) == (1, 0)


def test_show_is_readable(mosaic: Callable[..., Said]) -> None:
    said = mosaic("show", "printed")
    assert said.code == 0
    assert "finished: exit code 0" in said.out
    assert "1 lines quarantined" in said.out


def test_episodes_json_keeps_its_contract(mosaic: Callable[..., Said]) -> None:
    rows = _lines(mosaic("episodes", "last", "--json").out)
    contract = [
        "episode_id",
        "index",
        "env_index",
        "agent_id",
        "steps",
        "return",
        "seed",
        "outcome",
        "t_start",
        "t_end",
    ]
    assert all(set(contract) <= row.keys() for row in rows)
    assert [(row["index"], row["episode_id"], row["steps"], row["return"], row["seed"]) for row in rows] == [
        (0, "e0", 4, 0.0, 0),
        (1, "e1", 4, 4.0, 1),
        (2, "e2", 4, 8.0, 2),
    ]


def test_episodes_table_can_be_cut_to_the_last_ones(mosaic: Callable[..., Said]) -> None:
    lines = mosaic("episodes", "last", "-n", "1").out.splitlines()
    assert len(lines) == 2
    assert lines[1].split()[:4] == ["2", "4", "8", "terminated"]


@pytest.mark.parametrize("episode", ["1", "e1"])
def test_steps_are_found_by_index_and_by_id(mosaic: Callable[..., Said], episode: str) -> None:
    rows = _lines(mosaic("steps", "last", episode, "--json").out)
    assert [row["step"] for row in rows] == [0, 1, 2, 3]
    contract = ["step", "action", "reward", "terminated", "truncated", "obs", "t"]
    assert {name: rows[3][name] for name in contract} == {
        "step": 3, "action": 1, "reward": 1.0, "terminated": True, "truncated": False, "obs": [1, 3],
        "t": 101.0,
    }  # fmt: skip


def test_steps_can_be_paged(mosaic: Callable[..., Said]) -> None:
    rows = _lines(mosaic("steps", "last", "0", "--json", "--first", "1", "-n", "2").out)
    assert [row["step"] for row in rows] == [1, 2]
    assert "terminated" in mosaic("steps", "last", "0").out


def test_an_episode_that_does_not_exist_is_a_clear_error(mosaic: Callable[..., Said]) -> None:
    said = mosaic("steps", "last", "99")
    assert said.code == 2
    assert "99" in said.err


def test_metrics_keep_their_contract_and_name_what_is_not_finite(mosaic: Callable[..., Said]) -> None:
    rows = _lines(mosaic("metrics", "last", "--json").out)
    assert [(row["name"], row["canonical"], row["value"], row["step"], row["t"]) for row in rows] == [
        ("losses/td", "loss/td", 0.5, 0, 200.0),
        ("losses/td", "loss/td", "NaN", 1, 201.0),
        ("losses/td", "loss/td", "-Infinity", 2, 202.0),
    ]


@pytest.mark.parametrize("name", ["losses/td", "loss/td"])
def test_metrics_are_found_by_their_own_name_and_by_ours(mosaic: Callable[..., Said], name: str) -> None:
    assert len(_lines(mosaic("metrics", "last", "--name", name, "--json").out)) == 3


def test_returns_nobody_logged_come_from_the_episodes(mosaic: Callable[..., Said]) -> None:
    rows = _lines(mosaic("metrics", "last", "--name", "return", "--json").out)
    assert [row["value"] for row in rows] == [0.0, 4.0, 8.0]


def test_a_metric_that_does_not_exist_is_answered_with_those_that_do(mosaic: Callable[..., Said]) -> None:
    said = mosaic("metrics", "last", "--name", "lossed/td")
    assert said.code == 2
    assert "Did you mean 'losses/td'?" in said.err


def test_metric_names_are_listed(mosaic: Callable[..., Said]) -> None:
    assert _lines(mosaic("metrics", "last", "--names", "--json").out) == [
        {"name": "losses/td", "canonical": "loss/td", "values": 3}
    ]
    assert "losses/td" in mosaic("metrics", "last", "--names").out
    assert "-Infinity" in mosaic("metrics", "last", "-n", "1").out


def test_logs_show_escapes_and_never_obey_them(mosaic: Callable[..., Said]) -> None:
    said = mosaic("logs", "last")
    assert said.out.startswith("plain text \\x1b[31mred\\x07\n")
    assert "\x1b" not in said.out
    said = mosaic("logs", "last", "--stderr", "-f")
    assert said.out == "error \\x1b]0;title\\x07 text\n"


def test_logs_can_be_cut_to_the_last_lines(mosaic: Callable[..., Said]) -> None:
    assert mosaic("logs", "last", "-n", "1").out.count("\n") == 1
    assert mosaic("logs", "last", "-n", "0").out == ""


def test_a_sound_run_is_verified(mosaic: Callable[..., Said]) -> None:
    said = mosaic("verify", "last")
    assert (said.code, said.err) == (0, "")
    assert "agree" in said.out
    assert _strict(mosaic("verify", "last", "--json").out)["differences"] == []


def test_a_run_is_found_by_prefix_in_any_case(mosaic: Callable[..., Said], recorded: DataRoot) -> None:
    (run_id,) = [path.name for path in recorded.runs.iterdir()]
    for text in (run_id, run_id[:10], run_id[:10].lower(), "printed"):
        assert _strict(mosaic("show", text, "--json").out)["run_id"] == run_id


def test_a_misspelt_name_is_answered_with_the_nearest(mosaic: Callable[..., Said]) -> None:
    said = mosaic("show", "pritned")
    assert said.code == 2
    assert "Did you mean 'printed'?" in said.err
