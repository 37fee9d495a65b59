"""The first steps for somebody who has no run yet: what each does, and what it needs first. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mosaic.protocol.cards import COMMAND_RUNNER

if TYPE_CHECKING:
    from mosaic.ui.launch.model.catalog import Catalog

__all__ = ["FIRST_STEPS", "FirstStep", "standing_of"]


@dataclass(frozen=True, kw_only=True)
class FirstStep:
    """One way to begin."""

    id: str
    title: str
    text: str
    runner: str
    algorithm: str = ""
    env_id: str = ""


FIRST_STEPS = (
    FirstStep(
        id="frozenlake",
        title="Train tabular Q-learning on FrozenLake",
        text="Finds its way over a frozen lake within seconds. Needs nothing that is not here already.",
        runner="tabular",
        algorithm="q_learning",
        env_id="FrozenLake-v1",
    ),
    FirstStep(
        id="cartpole",
        title="Train SB3 PPO on CartPole",
        text="Stable-Baselines3 learns to balance a pole, in about a minute.",
        runner="sb3",
        algorithm="ppo",
        env_id="CartPole-v1",
    ),
    FirstStep(
        id="script",
        title="Run my script…",
        text="Any command of yours, unchanged: its episodes, steps and metrics are recorded.",
        runner=COMMAND_RUNNER,
    ),
)


def standing_of(step: FirstStep, catalog: Catalog) -> tuple[bool, str]:
    """Whether a step can be taken now, and what is to be said about it."""
    entry = catalog.get(step.runner)
    if not catalog.loaded:
        return False, "Looking for runners…"
    if entry is None:
        return False, f"There is no runner {step.runner!r} in this installation."
    if catalog.badge(step.runner)[0] == "installing":
        install = catalog.install(step.runner)
        return False, f"Installing {entry.title}: {install.text if install is not None else ''}"
    if entry.state == "broken":
        return False, f"{entry.title} is broken: {entry.text}. {entry.remedy}".strip()
    if entry.state == "missing":
        install = catalog.install(step.runner)
        failed = f"The last installation failed: {install.failed} " if install is not None else ""
        return True, f"{failed}Installs {entry.title} first{entry.size}."
    return True, ""
