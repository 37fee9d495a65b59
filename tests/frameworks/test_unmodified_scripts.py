"""`mosaic run` on real trainings: everything asked afterwards equals what the scripts counted themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance import assert_recorded_as_counted, workbench
from tests.envs import python_of

SCRIPTS = Path(__file__).parents[1] / "scripts"
pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(900)]


@pytest.mark.parametrize(
    ("environment", "script"),
    [("sb3", "sb3_ppo.py"), ("cleanrl", "single_file_ppo.py"), ("cleanrl", "single_file_dqn.py")],
)
def test_a_training_script_is_recorded_exactly_as_it_counted(
    home: Path, environment: str, script: str
) -> None:
    with workbench(home, CUDA_VISIBLE_DEVICES="") as bench:
        assert_recorded_as_counted(bench, [python_of(environment), SCRIPTS / script])
