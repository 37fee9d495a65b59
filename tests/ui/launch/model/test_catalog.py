"""The catalog: runners with badges, searched, and installed one at a time."""

from __future__ import annotations

from mosaic.protocol.cards import Algorithm, RunnerCard
from mosaic.ui.launch.model.catalog import Catalog, Entry

PPO = Algorithm(id="ppo", title="PPO", help="Clipped policy gradients.")
SB3 = RunnerCard(
    id="sb3", title="Stable-Baselines3", algorithms=[PPO, Algorithm(id="dqn")], requirements=["a"], torch=True
)
TABULAR = RunnerCard(id="tabular", title="Tabular", help="Tables.", algorithms=[Algorithm(id="q_learning")])
SCRIPT = RunnerCard(id="script", title="Any command")


def catalog() -> Catalog:
    made = Catalog()
    made.show(
        [
            Entry(id="bad", card=None, state="broken", text="cannot be imported"),
            Entry(id="script", card=SCRIPT, state="ready"),
            Entry(id="sb3", card=SB3, state="missing", text="not there"),
            Entry(id="tabular", card=TABULAR, state="ready"),
        ]
    )
    return made


def test_what_can_be_used_comes_first_and_plain_commands_last() -> None:
    assert [entry.id for entry in catalog().entries] == ["tabular", "sb3", "bad", "script"]


def test_badges_say_how_each_stands() -> None:
    made = catalog()
    assert [made.badge(entry.id)[1] for entry in made.entries] == [
        "ready",
        "not installed",
        "broken",
        "ready",
    ]


def test_a_search_finds_algorithms_by_any_of_their_words() -> None:
    made = catalog()
    assert [(entry.id, [one.id for one in found]) for entry, found in made.matching("baselines PPO")] == [
        ("sb3", ["ppo"])
    ]
    assert [entry.id for entry, _ in made.matching("bad")] == ["bad"]
    assert made.matching("nothing like it") == []
    assert len(made.matching("")) == 4


def test_only_one_installation_is_under_way_at_a_time() -> None:
    made = catalog()
    assert made.begin("sb3")
    assert made.badge("sb3")[0] == "installing"
    assert not made.begin("sb3")
    assert not made.begin("tabular")
    made.progress("sb3", "downloading", 0.5)
    install = made.install("sb3")
    assert install is not None
    assert (install.text, install.fraction) == ("downloading", 0.5)
    made.progress("sb3", "a package", None)
    made.progress("sb3", "", None)
    install = made.install("sb3")
    assert install is not None
    assert (install.text, install.fraction) == ("a package", 0.5)
    made.end("sb3")
    assert made.badge("sb3")[0] == "missing"
    assert made.install("sb3") is None
    made.show([Entry(id="sb3", card=SB3, state="ready")])
    assert made.badge("sb3")[0] == "ready"


def test_a_failed_installation_keeps_its_reason_until_the_next_try() -> None:
    made = catalog()
    made.begin("sb3")
    made.end("sb3", failed="the disk is full")
    install = made.install("sb3")
    assert install is not None
    assert install.failed == "the disk is full"
    assert made.badge("sb3")[0] == "missing"
    assert made.begin("sb3")


def test_progress_nobody_waits_for_any_more_is_passed_over() -> None:
    made = catalog()
    made.progress("sb3", "late", None)
    assert made.install("sb3") is None


def test_an_entry_says_what_installing_takes() -> None:
    made = catalog()
    assert [(made.get(name) or made.entries[0]).size for name in ("sb3", "tabular", "bad")] == [
        " (1 GB or more: it brings PyTorch)",
        "",
        "",
    ]
