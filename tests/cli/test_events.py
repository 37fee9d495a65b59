"""`mosaic events`."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import TYPE_CHECKING

import pytest

from mosaic.cli import events
from mosaic.paths import DataRoot
from mosaic.sdk.connection import Connection
from mosaic.store.eventlog import Stored
from tests.cli.asking import json_lines
from tests.cli.conftest import home_after

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.cli.conftest import Said

DECIDING = """
import json
def say(kind, **event): print(json.dumps({"type": kind, **event}), flush=True)
say("config", algo="ppo", seed=3, args={"lr": 0.00025123, "net": [64, 64]})
say("config", args={"lr": 0.5})
for e in range(3):
    one = {"episode_id": f"e{e}", "t": 100.0 + e}
    say("reset", **one)
    for s in range(2):
        say("decision", step=s, proposed=1, executed=0, verdict="replace", by="guard", reason="a hole", **one)
        say("step", step=s, action=0, terminated=s == 1, **one)
    say("belief", step=0, add=["at(3)"], **{"del": ["at(2)"]}, **one)
say("log", text="evil \\x1b[2J", t=1e300)
say("telepathy", strength=float("nan"), n=10 ** 30)
"""


@pytest.fixture(scope="module")
def decided_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data root with one finished run that decided."""
    script = tmp_path_factory.mktemp("work") / "deciding.py"
    script.write_text(DECIDING)
    words = ["run", "--name", "decided", "--", sys.executable, "-I", "-S", str(script)]
    with home_after(tmp_path_factory.mktemp("decided"), *words, cwd=script.parent) as path:
        yield path


@pytest.fixture
def decided(decided_home: Path, monkeypatch: pytest.MonkeyPatch) -> DataRoot:
    """That data root, in force for this test. Read only."""
    monkeypatch.setenv("MOSAIC_HOME", str(decided_home))
    return DataRoot(decided_home)


pytestmark = pytest.mark.usefixtures("decided")


def test_one_episodes_decisions_as_json(mosaic: Callable[..., Said]) -> None:
    rows = json_lines(mosaic("events", "last", "--kind", "decision", "--episode", "1", "--json").out)
    assert [(row["episode_id"], row["step"], row["verdict"], row["by"]) for row in rows] == [
        ("e1", 0, "replace", "guard"),
        ("e1", 1, "replace", "guard"),
    ]
    assert rows == json_lines(mosaic("events", "last", "--kind=decision", "--episode=e1", "--json").out)
    assert json_lines(
        mosaic("events", "last", "--kind=decision", "--episode=1", "--step=1", "--json").out
    ) == [rows[1]]


def test_everything_in_a_table_that_obeys_nothing(mosaic: Callable[..., Said]) -> None:
    said = mosaic("events", "last")
    lines = said.out.splitlines()
    assert lines[0].split() == ["SEQ", "TIME", "KIND", "EPISODE", "STEP", "WHAT"]
    assert [line.split()[2] for line in lines[1:]] == [
        "config", "config", *["decision", "decision", "belief"] * 3, "log", "telepathy",
    ]  # fmt: skip
    assert "\x1b" not in said.out
    assert "evil \\x1b[2J" in said.out
    assert "verdict=replace  by=guard  reason=a hole" in said.out
    assert "add=[at(3)]  del=[at(2)]" in said.out


def test_a_table_has_the_last_ones_and_says_how_many_there_are(
    mosaic: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "_SHOWN", 4)
    said = mosaic("events", "last")
    assert [line.split()[2] for line in said.out.splitlines()[1:]] == [
        "decision", "belief", "log", "telepathy",
    ]  # fmt: skip
    assert said.err == "The last 4 of 13 events. -n N shows more, --json all of them.\n"
    said = mosaic("events", "last", "--kind=decision", "--kind=belief", "--step=0")
    assert "The last 4 of 6 events" in said.err
    said = mosaic("events", "last", "-n", "9")
    assert (len(said.out.splitlines()), said.err) == (10, "")
    assert mosaic("events", "last", "--kind=belief").err == ""


def test_json_is_written_page_by_page(mosaic: Callable[..., Said], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = mosaic("events", "last", "--json").out
    assert len(whole.splitlines()) == 13
    monkeypatch.setattr("mosaic.store.reader._PAGE", 2)
    assert mosaic("events", "last", "--json").out == whole


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_a_worker_wrote_steers_a_terminal() -> None:
    hostile = Stored(1, "evil\x1b[2J\u202e", '{"type":"evil","text":"\x9b2J\u202e"}'.encode())
    with contextlib.redirect_stdout(Terminal()) as stdout:
        events._write_json([hostile])
        events._write_line([hostile])
    assert stdout.getvalue().replace("\n", "").isascii()
    assert stdout.getvalue().replace("\n", "").isprintable()
    with contextlib.redirect_stdout(io.StringIO()) as pipe:
        events._write_json([Stored(1, "log", '{"text":"é"}'.encode())])
    assert pipe.getvalue() == '{"text":"é","seq":1}\n'


def test_several_kinds_and_only_the_last_ones(mosaic: Callable[..., Said]) -> None:
    rows = json_lines(mosaic("events", "last", "--kind=belief", "--kind=log", "-n", "2", "--json").out)
    assert [row["type"] for row in rows] == ["belief", "log"]


def test_an_unknown_kind_is_listed_as_it_came(mosaic: Callable[..., Said]) -> None:
    (row,) = json_lines(mosaic("events", "last", "--kind", "telepathy", "--json").out)
    assert (row["strength"], row["n"]) == ("NaN", 10**30)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kind", "metric"], "listed by another command: mosaic metrics RUN"),
        (["--kind", "desicion"], "Did you mean 'decision'?"),
        (["--kind", "log", "--episode", "0"], "log events belong to no episode"),
        (["--episode", "9"], "This run has episodes 0 to 2"),
        (["--episode", "e9"], "This run has episodes 0 to 2"),
        (["--episode", "9" * 30], "This run has episodes 0 to 2"),
        (["--episode", "00"], "there is no episode '00'"),
        (["--episode", "9" * 5000], "This run has episodes 0 to 2"),
        (["--follow", "--episode", "0"], "leave out --episode"),
    ],
)
def test_what_cannot_be_listed_is_said_with_the_way_out(
    mosaic: Callable[..., Said], words: list[str], said: str
) -> None:
    answer = mosaic("events", "last", *words)
    assert answer.code == 2
    assert said in answer.err
    assert answer.out == ""


@pytest.mark.parametrize("words", [["--kind", "artifacts"], ["--step", "9" * 30]])
def test_nothing_recorded_is_said_on_stderr(mosaic: Callable[..., Said], words: list[str]) -> None:
    answer = mosaic("events", "last", *words)
    assert (answer.code, answer.out) == (0, "")
    assert "has recorded no such event" in answer.err


def test_following_an_ended_run_gives_everything_and_returns(mosaic: Callable[..., Said]) -> None:
    whole = json_lines(mosaic("events", "last", "--json").out)
    assert json_lines(mosaic("events", "last", "-f", "--json").out) == whole
    assert json_lines(mosaic("events", "last", "-f", "-n", "2", "--json").out) == whole[-2:]
    assert "telepathy" in mosaic("events", "last", "-f").out


def test_a_kind_that_was_not_seen_yet_can_be_waited_for(mosaic: Callable[..., Said]) -> None:
    answer = mosaic("events", "last", "-f", "--kind", "rarely")
    assert (answer.code, answer.out) == (0, "")


def test_show_lists_the_configuration_in_full(mosaic: Callable[..., Said]) -> None:
    from tests.cli.asking import strict_json

    config = strict_json(mosaic("show", "last", "--json").out)["config"]
    assert config == {"algo": "ppo", "env_id": None, "seed": 3, "args": {"lr": 0.5, "net": [64, 64]}}
    shown = [line for line in mosaic("show", "last").out.splitlines() if line.startswith("config")]
    assert [line.split(maxsplit=1)[1] for line in shown] == [
        "algo = ppo", "seed = 3", "lr = 0.5", "net = [64, 64]",
    ]  # fmt: skip


def test_decisions_are_tables_of_an_export(mosaic: Callable[..., Said], tmp_path: Path) -> None:
    said = mosaic("export", "last", "--format", "csv", "-o", str(tmp_path / "out"))
    assert [line.rsplit("/", 1)[1] for line in said.out.splitlines()] == [
        "episodes.csv", "steps.csv", "metrics.csv", "decisions.csv", "beliefs.csv",
    ]  # fmt: skip
    head, first, *_ = (tmp_path / "out" / "decisions.csv").read_text().splitlines()
    assert head == "episode_id,step,agent_id,operator,proposed,executed,verdict,by,reason,ms,data,t"
    assert first == "e0,0,,,1,0,replace,guard,a hole,,,100.0"


def test_verify_agrees(decided: DataRoot) -> None:
    run = Connection(decided).get("last")
    assert run.verify() == []
