"""What the cards of `sb3` and `sbx` share: the shape of an algorithm, what their driver can do, and pins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mosaic.protocol.cards import Algorithm, Capabilities, RunnerCard
from mosaic.runners.own.sb3_parameters import parameters
from mosaic.runners.runner import DriverRunner

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ANY_ACTION", "STABLE_BASELINES", "algorithm", "family_runner"]

ANY_ACTION = ["Box", "Discrete", "MultiDiscrete", "MultiBinary"]
STABLE_BASELINES = "stable-baselines3==2.9.2"
_BESIDES = ["gymnasium[classic-control]==1.4.0", "numpy==2.4.6", "msgspec==0.22.0"]


def algorithm(
    name: str,
    title: str,
    text: str,
    own: dict[str, Any],
    *,
    actions: list[str],
    observations: list[str],
    policies: list[str],
    masks: bool = False,
) -> Algorithm:
    """An algorithm whose own parameters have these defaults; it is first tried where its actions fit."""
    return Algorithm(
        id=name,
        title=title,
        help=text,
        parameters=parameters(own, policies=policies),
        actions=actions,
        observations=observations,
        default_steps=50_000,
        default_env="CartPole-v1" if "Discrete" in actions else "Pendulum-v1",
        needs_action_masks=masks,
    )


def family_runner(
    name: str,
    *,
    title: str,
    text: str,
    algorithms: list[Algorithm],
    packages: Sequence[str],
    imports: list[str],
    url: str,
    own_members: Sequence[str] = (),
) -> DriverRunner:
    """The runner with the driver of that name; `packages` are installed first, then what both need."""
    card = RunnerCard(
        id=name,
        title=title,
        help=text,
        algorithms=algorithms,
        capabilities=Capabilities(
            supports_warmstart=True,
            supports_resume=True,
            supports_checkpoint=True,
            supports_eval=True,
            supports_play=True,
            supports_pause=True,
            supports_vector=True,
            gpu="optional",
        ),
        requirements=[*packages, *_BESIDES],
        torch=True,
        imports=imports,
        url=url,
        own_members=list(own_members),
    )
    return DriverRunner(card, module=f"mosaic_worker.drivers.{name}")
