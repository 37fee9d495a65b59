"""Evaluating a checkpoint: its policy plays in its runner's environment, as a run like any other.

The workbench loads nothing: a driver in a child does, and only bytes of the hash that was checked here. What
a script saved is played by a command of the user's own, which opens the file itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.app import starting_points, training
from mosaic.errors import UsageError
from mosaic.protocol.cards import Job

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mosaic.app.training import Plan
    from mosaic.artifacts.checkpoints import Known
    from mosaic.paths import DataRoot

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
    command: Sequence[str] | None = None,
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
        command: what plays it, instead of a runner. In its words `{checkpoint}`, `{episodes}` and `{seed}`
            are filled in; MOSAIC_CHECKPOINT, MOSAIC_EPISODES and MOSAIC_SEED in its environment say the same.

    Raises:
        UsageError: it cannot be loaded, is not trusted, or nobody knows what it is.
    """
    from mosaic.runners import registry
    from mosaic.settings import load

    if episodes < 1:
        raise UsageError(f"an evaluation plays at least one episode, not {episodes}")
    if command is not None:
        told = (env_id, env_arguments, runner, checkout, python)
        if any(told):
            raise UsageError(
                "a command of your own knows its environment and interpreter itself: leave out "
                "--env, env.KEY=VALUE, --runner, --checkout and --python, or the command"
            )
        return _by_command(root, known, command, episodes=episodes, seed=seed)
    name, kind, env = runner or known.runner, algorithm or known.algorithm, env_id or known.env_id
    if not name or name == "script":
        raise UsageError(
            f"nobody recorded which runner can load {known.path}. If a script of yours saved it, a command "
            f"of yours plays it: {known.played_by}. If a runner can load it, say which: "
            "--runner sb3/ppo --env CartPole-v1"
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
    return msgspec.structs.replace(training.plan(root, job, python=python), parent=known.run_id or None)


def _by_command(
    root: DataRoot, known: Known, command: Sequence[str], *, episodes: int, seed: int | None
) -> Plan:
    from mosaic.runners.own.script import RUNNER

    if isinstance(command, str) or not command:
        raise UsageError(f"say what plays it as a list of words, for example: {known.played_by}")
    job = Job(
        runner=RUNNER.card.id,
        kind="eval",
        seed=_DEFAULT_SEED if seed is None else seed,
        arguments=list(command),
        checkpoint=str(known.path),
        sha256=starting_points.loadable(root, known, RUNNER.card),
        episodes=episodes,
    )
    return msgspec.structs.replace(training.plan(root, job), parent=known.run_id or None)


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
    command: Sequence[str] | None = None,
) -> str:
    """Play a checkpoint as a new run, and return its id at once.

    Raises:
        LaunchRefusedError: it cannot work; says why, and nothing was started.
        UsageError: it cannot be loaded, or is not trusted.
        DaemonError: the daemon cannot be reached or started.

    Example:
        >>> known = checkpoints.find(root, "last:best")
        >>> run_id = evaluate(root, known, episodes=20)
        >>> run_id = evaluate(root, known, command=["python", "play.py", "--weights", "{checkpoint}"])
    """
    made = plan(root, known, episodes=episodes, seed=seed, python=python, command=command)
    return training.submit(root, training.accept(made), name=name, tags=tags, cwd=cwd)
