"""How runs are called, reasons as sentences, and long words."""

from __future__ import annotations

from mosaic.ui.shell.model.words import breakable, sentence, subtitle, title
from tests.ui.rows import row, run_id


def test_a_run_without_a_name_is_called_after_what_it_does() -> None:
    assert (
        title(row(1, name="", algorithm="q_learning", env_ids=["FrozenLake-v1"]))
        == "q_learning on FrozenLake-v1"
    )
    assert subtitle(row(1, name="", algorithm="q_learning", runner="tabular")) == "tabular · …000001"
    assert subtitle(row(1, algorithm="ppo", runner="sb3", env_ids=["a", "b", "c"])) == "a, b +1 · ppo · sb3"
    assert title(row(1, name="", command=["python", "/a/train.py"])) == "train.py"
    assert title(row(1, name="", command=[])) == run_id(1)[:10]


def test_a_reason_becomes_a_sentence() -> None:
    said = [sentence(one) for one in ("paused by the user", " Done. ", "", "a\x1b")]
    assert said == ["Paused by the user.", "Done.", "", "A\\x1b."]


def test_long_words_can_be_broken_and_lose_nothing() -> None:
    path = "/a/very/long/path/" + "x" * 60
    assert max(len(part) for part in breakable(path).split("\u200b")) <= 15
    assert breakable(path).replace("\u200b", "") == path
    assert breakable("short words stay") == "short words stay"
