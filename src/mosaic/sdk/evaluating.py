"""Evaluating a checkpoint: its policy plays in its runner's environment, as a run like any other.

The workbench loads nothing: a driver in a child does, and only bytes of the hash that was checked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mosaic.errors import UsageError
from mosaic.protocol.cards import Job
from mosaic.sdk import starting_points, training

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mosaic.artifacts.checkpoints import Known
    from mosaic.paths import DataRoot
    from mosaic.sdk.training import Plan

__all__ = ["evaluate", "plan"]

_DEFAULT_SEED = 0


def plan(
    root: DataRoot,
    known: Known,
    *,
    episodes: int = 10,
    seed: int | None = None,
    env_id: str = "",
    env_arguments: Mapping[str, Any] | None = None,
    runner: str = "",
    algorithm: str = "",
    checkout: str = "",
    python: str | None = None,
) -> Plan:
    """Check an evaluation and build its command. Starts nothing but the child that tries the environment.

    Args:
        root: the data root.
        known: what is evaluated.
        episodes: how many episodes are played, with the policy's best actions.
        seed: of the first reset; 0 when none is given, so that two evaluations can be compared.
        env_id: another environment than the one it was trained on; its spaces must be the same.
        env_arguments: what the environment is made with; by default as in the training.
        runner: who can load it, when no record says so.
        algorithm: what it is of, when no record says so.
        checkout: where a runner finds its scripts, if it does; by default as in the training.
        python: an interpreter to use instead of the runner's own.

    Raises:
        UsageError: it cannot be loaded, is not trusted, or nobody knows what it is.
    """
    from mosaic.runners import registry
    from mosaic.settings import load

    if episodes < 1:
        raise UsageError(f"an evaluation plays at least one episode, not {episodes}")
    name, kind, env = runner or known.runner, algorithm or known.algorithm, env_id or known.env_id
    if not name or name == "script":
        raise UsageError(
            f"nobody recorded which runner can load {known.path}. Say it: --runner sb3/ppo --env CartPole-v1"
        )
    if not env:
        raise UsageError(f"nobody recorded what {known.path} was trained on. Say it: --env CartPole-v1")
    card = registry.find(name, load(root)).card
    if not card.capabilities.supports_eval:
        raise UsageError(f"{card.title} cannot evaluate a checkpoint")
    arguments = env_arguments
    if arguments is None:
        held = known.row.meta.get("env_arguments")
        same = env == known.env_id and isinstance(held, dict)
        arguments = {f"env.{key}": value for key, value in held.items()} if same and held else {}
    job = Job(
        runner=name,
        kind="eval",
        algorithm=kind,
        env_id=env,
        seed=_DEFAULT_SEED if seed is None else seed,
        parameters=dict(arguments),
        checkpoint=str(known.path),
        sha256=starting_points.loadable(root, known, card),
        episodes=episodes,
        checkout=checkout or known.checkout,
    )
    return training.plan(root, job, python=python)


def evaluate(
    root: DataRoot,
    known: Known,
    *,
    episodes: int = 10,
    seed: int | None = None,
    name: str = "",
    tags: Mapping[str, str] | None = None,
    python: str | None = None,
    cwd: str | Path | None = None,
) -> str:
    """Play a checkpoint as a new run, and return its id at once.

    Raises:
        LaunchRefusedError: it cannot work; says why, and nothing was started.
        UsageError: it cannot be loaded, or is not trusted.
        DaemonError: the daemon cannot be reached or started.

    Example:
        >>> known = checkpoints.find(root, "last:best")
        >>> run_id = evaluate(root, known, episodes=20)
    """
    checked = training.accept(plan(root, known, episodes=episodes, seed=seed, python=python))
    return training.submit(root, checked, name=name, tags=tags, cwd=cwd)
