"""Runs recorded once for all tests of replay. Nobody changes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mosaic.paths import RunFolder
from tests.replay.envs import DICE, KEEPS, KEEPS_LOOP, LUCKY, LUCKY_LOOP
from tests.replay.recorded import LOOP, record


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data root of the recorded runs."""
    home = tmp_path_factory.mktemp("replay") / "home"
    home.mkdir(mode=0o700)
    return home


@pytest.fixture(scope="session")
def cartpole(recordings: Path) -> RunFolder:
    """Four episodes of CartPole; only the first reset is seeded."""
    return record(recordings, LOOP.format(imports="", make='"CartPole-v1"', seed=5, episodes=4, steps=200))


@pytest.fixture(scope="session")
def taxi(recordings: Path) -> RunFolder:
    """Two episodes of Taxi, whose drawing leaves traces."""
    return record(recordings, LOOP.format(imports="", make='"Taxi-v4"', seed=None, episodes=2, steps=40))


@pytest.fixture(scope="session")
def lucky(recordings: Path) -> RunFolder:
    """Two episodes of an environment that draws from the operating system at its fourth step."""
    return record(recordings, LUCKY_LOOP, modules={"lucky.py": LUCKY})


@pytest.fixture(scope="session")
def keeps(recordings: Path) -> RunFolder:
    """Five episodes of an environment that keeps something over a reset; the third reset is seeded too."""
    return record(recordings, KEEPS_LOOP, modules={"keeps.py": KEEPS})


@pytest.fixture(scope="session")
def dice(recordings: Path) -> RunFolder:
    """Three episodes of an environment defined in the script itself."""
    return record(recordings, DICE)
