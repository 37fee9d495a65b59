"""The first steps: each says what it needs before it can be taken."""

from __future__ import annotations

from mosaic.protocol.cards import RunnerCard
from mosaic.runners import registry
from mosaic.settings import Settings
from mosaic.ui.launch.model.catalog import Catalog, Entry
from mosaic.ui.welcome.model import FIRST_STEPS, standing_of

SB3 = RunnerCard(id="sb3", title="SB3", requirements=["x"], torch=True)
CARTPOLE = next(step for step in FIRST_STEPS if step.runner == "sb3")


def test_every_first_step_names_a_runner_and_an_algorithm_that_exist() -> None:
    cards = {one.id: one.runner.card for one in registry.listed(Settings()) if one.runner is not None}
    for step in FIRST_STEPS:
        card = cards[step.runner]
        assert step.algorithm in ([one.id for one in card.algorithms] or [""])


def test_a_step_whose_runner_is_missing_says_that_it_installs_it_and_how_large_that_is() -> None:
    catalog = Catalog()
    assert standing_of(CARTPOLE, catalog) == (False, "Looking for runners…")
    catalog.show([Entry(id="sb3", card=SB3, state="missing")])
    assert standing_of(CARTPOLE, catalog) == (True, "Installs SB3 first (1 GB or more: it brings PyTorch).")
    catalog.begin("sb3")
    catalog.progress("sb3", "torch", None)
    assert standing_of(CARTPOLE, catalog) == (False, "Installing SB3: torch")
    catalog.end("sb3", failed="no network.")
    assert standing_of(CARTPOLE, catalog)[1].startswith("The last installation failed: no network.")


def test_a_step_that_can_be_taken_says_nothing_and_one_that_cannot_says_why() -> None:
    catalog = Catalog()
    catalog.show([Entry(id="sb3", card=SB3, state="ready")])
    assert standing_of(CARTPOLE, catalog) == (True, "")
    catalog.show([Entry(id="sb3", card=SB3, state="broken", text="gone", remedy="install it")])
    assert standing_of(CARTPOLE, catalog) == (False, "SB3 is broken: gone. install it")
    catalog.show([])
    assert standing_of(CARTPOLE, catalog)[0] is False
