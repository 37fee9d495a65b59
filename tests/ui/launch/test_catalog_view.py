"""The catalog: chosen by mouse and keys, searched, with installing in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from mosaic.protocol.cards import Algorithm, RunnerCard
from mosaic.runners.parameters import convert
from mosaic.ui.launch.catalog_view import CatalogView
from mosaic.ui.launch.model.catalog import Catalog, Entry
from mosaic.ui.launch.model.launch import Launch

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

TABULAR = RunnerCard(
    id="tabular", title="Tabular", algorithms=[Algorithm(id="q"), Algorithm(id="sarsa", title="SARSA")]
)
SB3 = RunnerCard(id="sb3", title="SB3", algorithms=[Algorithm(id="ppo")], requirements=["x"])
ENTRIES = [
    Entry(id="tabular", card=TABULAR, state="ready"),
    Entry(id="sb3", card=SB3, state="missing", text="not there", remedy="mosaic runners install sb3"),
    Entry(id="bad", card=None, state="broken", text="no such module"),
]


def shown(qtbot: QtBot, context: Context) -> CatalogView:
    catalog = Catalog()
    view = CatalogView(catalog, Launch(catalog, convert=convert), context.ops)
    qtbot.addWidget(view)
    view.resize(310, 400)
    view.show()
    catalog.show(ENTRIES)
    return view


def rows(view: CatalogView) -> list[tuple[str, str]]:
    found = []
    item = view.tree.topLevelItem(0)
    while item is not None:
        found.append((item.text(0), item.text(1)))
        item = view.tree.itemBelow(item)
    return found


def current(view: CatalogView) -> str:
    item = view.tree.currentItem()
    return item.text(0) if item is not None else ""


def test_runners_stand_with_their_badges_and_the_chosen_one_is_open(qtbot: QtBot, context: Context) -> None:
    view = shown(qtbot, context)
    assert rows(view) == [
        ("Tabular", "ready"),
        ("q", ""),
        ("SARSA", ""),
        ("SB3", "not installed"),
        ("bad", "broken"),
    ]
    assert current(view) == "q"


def test_keys_choose_another_algorithm(qtbot: QtBot, context: Context) -> None:
    view = shown(qtbot, context)
    QTest.keyClick(view.tree, Qt.Key.Key_Down)
    assert view.launch.algorithm is not None
    assert view.launch.algorithm.id == "sarsa"


def test_a_search_shows_what_fits_and_keeps_the_choice(qtbot: QtBot, context: Context) -> None:
    view = shown(qtbot, context)
    QTest.keyClicks(view.search, "ppo")
    assert rows(view) == [("SB3", "not installed"), ("ppo", "")]
    assert view.launch.runner == "tabular"
    view.search.clear()
    assert current(view) == "q"


def test_a_missing_runner_is_installed_in_place_with_progress_and_can_be_given_up(
    qtbot: QtBot, context: Context
) -> None:
    view = shown(qtbot, context)
    asked: list[tuple[str, str]] = []
    view.install.connect(lambda runner: asked.append(("install", runner)))
    view.cancel.connect(lambda runner: asked.append(("cancel", runner)))
    assert not view.button.isVisible()
    view.launch.pick("sb3")
    assert view.how.text() == "SB3: not there (some hundred MB)"
    assert view.button.text() == "Install: SB3"
    QTest.mouseClick(view.button, Qt.MouseButton.LeftButton)
    view.catalog.begin("sb3")
    view.catalog.progress("sb3", "installing x", 0.25)
    assert (view.how.text(), view.bar.value(), view.bar.isVisible()) == ("installing x", 250, True)
    QTest.mouseClick(view.button, Qt.MouseButton.LeftButton)
    assert asked == [("install", "sb3"), ("cancel", "sb3")]
    view.catalog.end("sb3", failed="given up")
    assert (view.how.text(), view.button.text()) == ("given up", "Try again: SB3")
    assert not view.bar.isVisible()


def test_a_broken_runner_says_why_and_offers_nothing_that_cannot_work(qtbot: QtBot, context: Context) -> None:
    view = shown(qtbot, context)
    view.launch.pick("bad")
    assert view.how.text() == "bad: no such module"
    assert not view.button.isVisible()


def test_a_folder_of_algorithms_is_named_in_place(qtbot: QtBot, context: Context) -> None:
    view = shown(qtbot, context)
    assert not view.folder_box.isVisible()
    card = RunnerCard(id="cleanrl", title="CleanRL")
    entry = Entry(
        id="cleanrl", card=card, state="ready", discovers=True, folder_problem="there is no such folder"
    )
    view.catalog.show([entry])
    view.launch.pick("cleanrl")
    assert view.folder_box.isVisible()
    assert view.folder_problem.text() == "there is no such folder"
    asked: list[tuple[str, str]] = []
    view.look_in.connect(lambda runner, folder: asked.append((runner, folder)))
    QTest.keyClicks(view.folder, "/tmp/x")
    QTest.keyClick(view.folder, Qt.Key.Key_Return)
    assert asked == [("cleanrl", "/tmp/x")]
