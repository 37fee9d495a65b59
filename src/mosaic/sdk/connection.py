"""The way in: one data root, its runs, and starting new ones."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mosaic.app import run_index
from mosaic.app.submitting import make_spec, submit
from mosaic.paths import DataRoot, data_root
from mosaic.sdk.run import Run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mosaic.app.playing import Asked

__all__ = ["Connection", "connect"]


def connect(home: str | Path | None = None) -> Connection:
    """The runs of a data root. Nothing is started before it is needed.

    Args:
        home: The data root; by default `MOSAIC_HOME`, else the platform's place for user data.

    Raises:
        DataRootError: the data root is open to others, somebody else's, or not writable.

    Example:
        >>> import mosaic
        >>> runs = mosaic.connect()
    """
    root = data_root() if home is None else DataRoot(Path(home).expanduser().absolute())
    return Connection(run_index.checked(root))


class Connection:
    """One data root. Made by `mosaic.connect`.

    It holds nothing open: reading goes to files, and the daemon is asked call by call.
    """

    def __init__(self, root: DataRoot) -> None:
        self._root = root

    @property
    def home(self) -> Path:
        """Where the data root lies."""
        return self._root.path

    def run(
        self,
        command: Sequence[str],
        *,
        name: str = "",
        tags: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Run:
        """Start a command as a recorded run, and return at once.

        Args:
            command: The program and its arguments.
            name: A name to find it by.
            tags: Labels.
            cwd: Where it runs; by default here.
            env: Its whole environment; by default ours. Kept in memory only; what is not UTF-8 is left out.

        Raises:
            UsageError: there is no such program or folder, or the name cannot be one.
            DaemonError: the daemon cannot be reached or started.

        Example:
            >>> run = mosaic.connect().run(["python", "train.py"], name="first")
            >>> run.wait()
        """
        spec = make_spec(command, name=name, tags=tags, cwd=cwd, env=env)
        submit(self._root, spec, os.environ if env is None else env)
        return Run(self._root, spec.run_id)

    def train(
        self,
        target: str,
        env_id: str = "",
        *,
        seed: int | None = None,
        steps: int | None = None,
        envs: int = 1,
        parameters: Mapping[str, Any] | None = None,
        arguments: Sequence[str] = (),
        resume: str | None = None,
        init: str | None = None,
        checkout: str = "",
        name: str = "",
        tags: Mapping[str, str] | None = None,
        python: str | None = None,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Run:
        """Train with a runner, and return at once. What cannot work is refused before anything starts.

        Args:
            target: Runner and algorithm, as in `tabular/q_learning`.
            env_id: The environment.
            seed: The seed of the training.
            steps: How many steps; the algorithm has a default.
            envs: Environments at once.
            parameters: What differs from the algorithm's defaults; `env.KEY` is for the environment itself.
            arguments: Words passed on to the runner's command as they are.
            resume: The run to resume, or a checkpoint of it.
            init: A checkpoint to start from: a path, `RUN`, `RUN@STEP` or `RUN:best`.
            checkout: Where the runner's scripts lie, for runners that find their algorithms there.
            name: A name to find it by.
            tags: Labels.
            python: An interpreter to use instead of the runner's own environment.
            cwd: Where it runs; by default here.
            env: Its whole environment; by default ours.

        Raises:
            LaunchRefusedError: it cannot work; says why and what to do.
            UsageError: there is no such runner, algorithm or parameter.
            DaemonError: the daemon cannot be reached or started.

        Example:
            >>> run = mosaic.connect().train("tabular/q_learning", "FrozenLake-v1", seed=1, steps=5000)
            >>> run.wait()
        """
        from mosaic.app import training
        from mosaic.protocol.cards import Job

        runner, _, algorithm = target.partition("/")
        job = Job(
            runner=runner,
            algorithm=algorithm,
            env_id=env_id,
            seed=seed,
            steps=steps,
            envs=envs,
            parameters=dict(parameters or {}),
            arguments=list(arguments),
            resume=resume,
            init=init,
            checkout=checkout,
        )
        run_id = training.train(self._root, job, name=name, tags=tags, python=python, cwd=cwd, env=env)
        return Run(self._root, run_id)

    def evaluate(
        self,
        checkpoint: str | Path,
        *,
        episodes: int = 10,
        seed: int | None = None,
        name: str = "",
        tags: Mapping[str, str] | None = None,
        python: str | None = None,
        command: Sequence[str] | None = None,
        cwd: str | Path | None = None,
    ) -> Run:
        """Let a saved policy play, as a run like any other, and return at once.

        Args:
            checkpoint: A file, or `RUN`, `RUN@STEP`, `RUN:final`, `RUN:best`, `RUN:last`.
            episodes: How many episodes it plays, with its best actions.
            seed: The seed of the first reset; 0 when none is given.
            name: A name to find it by.
            tags: Labels.
            python: An interpreter to use instead of the runner's own.
            command: What plays it, for what a script of yours saved. `{checkpoint}`, `{episodes}` and
                `{seed}` in its words are filled in.
            cwd: The folder it runs in; by default this process' own.

        Raises:
            UsageError: there is no such checkpoint, it is damaged, or nobody trusts it.
            LaunchRefusedError: it cannot work; nothing was started.
            DaemonError: the daemon cannot be reached or started.

        Example:
            >>> mosaic.connect().evaluate("last:best", episodes=20).wait()
        """
        from mosaic.app import saved
        from mosaic.app.evaluating import evaluate

        run_id = evaluate(
            self._root,
            saved.find(self._root, str(checkpoint)),
            episodes=episodes,
            seed=seed,
            name=name,
            tags=tags,
            python=python,
            command=command,
            cwd=cwd,
        )
        return Run(self._root, run_id)

    def play(
        self,
        env_id: str,
        operator: str | None = None,
        *,
        seats: Mapping[str, str] | None = None,
        copies: bool = False,
        seeds: Sequence[int] = (0,),
        env_arguments: Mapping[str, Any] | None = None,
        operator_parameters: Mapping[str, Any] | None = None,
        parallel: bool = False,
        pace: str | None = None,
        fps: float | None = None,
        max_steps: int | None = None,
        on_failure: str = "stop",
        name: str = "",
        tags: Mapping[str, str] | None = None,
        python: str | None = None,
    ) -> Run:
        """Put an operator into every seat of an environment and let them play; returns at once.

        Args:
            env_id: A Gymnasium id, or a PettingZoo module such as `pettingzoo.classic.connect_four_v3`.
            operator: Who decides for everybody that has no seat, as `mosaic play` takes it.
            seats: Who decides for one agent, by its name.
            copies: Whether each seat has a copy of the environment of its own, all in lock-step: a match,
                which `run.match()` judges.
            seeds: One episode with each.
            env_arguments: What the environment is made with.
            operator_parameters: For the operators that have them, such as `sample` of a policy.
            parallel: Whether the agents of a PettingZoo environment all act at once.
            pace: `free`, `tick` or `turn`; None: what suits the environment and who plays.
            fps: Ticks a second; None: as fast as it goes, or under a tick the environment's own.
            max_steps: When an episode ends at the latest.
            on_failure: `stop`, `noop` or `random`: what becomes of an operator that fails.
            name: A name to find it by.
            tags: Labels.
            python: The interpreter the environment runs in.

        Raises:
            UsageError: there is no such operator, checkpoint or parameter.
            LaunchRefusedError: it cannot work; nothing was started.
            DaemonError: the daemon cannot be reached or started.

        Example:
            >>> mosaic.connect().play("CartPole-v1", "random", seeds=range(5)).wait()
        """
        from mosaic.app import playing
        from mosaic.protocol.sessions import EVERYBODY

        parameters = {f"env.{key}": value for key, value in (env_arguments or {}).items()}
        parameters |= {f"op.{key}": value for key, value in (operator_parameters or {}).items()}
        run_id = playing.play(
            self._root,
            env_id,
            {**(seats or {}), **({EVERYBODY: operator} if operator is not None else {})},
            python=python,
            how={"name": name, "tags": tags},
            copies=copies,
            seeds=list(seeds),
            parameters=parameters,
            parallel=parallel,
            pace=pace,
            fps=fps,
            max_steps=max_steps,
            on_failure=on_failure,
        )
        return Run(self._root, run_id)

    def league(
        self,
        env_id: str,
        players: Sequence[str],
        *,
        games: int | None = None,
        seeds: Sequence[int] | None = None,
        env_arguments: Mapping[str, Any] | None = None,
        parallel: bool = False,
        on_failure: str = "stop",
        name: str = "",
        tags: Mapping[str, str] | None = None,
        python: str | None = None,
    ) -> Run:
        """Let operators meet in every seat of a PettingZoo environment; returns at once.

        Args:
            env_id: A module such as `pettingzoo.classic.connect_four_v3`.
            players: The operators, as `mosaic play` takes them.
            games: How many games each pair plays, rounded up so that seats are fair.
            seeds: Instead: every seating with each of these seeds.
            env_arguments: What the environment is made with.
            parallel: Whether its agents all act at once.
            on_failure: When an operator fails: `stop`, or who decides instead: `noop`, `random`.
            name: A name to find it by.
            tags: Labels.
            python: The interpreter the environment runs in.

        Returns:
            The run, which `run.league()` judges when it has ended.

        Raises:
            LaunchRefusedError: It cannot work; says why, and nothing was started.
            UsageError: It cannot be a league.

        Example:
            >>> cup = mosaic.connect().league("pettingzoo.classic.connect_four_v3", ["last", "random"])
        """
        from mosaic.app import leagues, training

        asked: Asked = {
            "parameters": {f"env.{key}": value for key, value in (env_arguments or {}).items()},
            "parallel": parallel,
            "on_failure": on_failure,
        }
        if seeds is not None:
            asked["seeds"] = list(seeds)
        plan = leagues.plan(self._root, env_id, players, games=games, python=python, **asked)
        return Run(self._root, training.submit(self._root, training.accept(plan), name=name, tags=tags))

    def runs(self) -> list[Run]:
        """Every run, newest first.

        Example:
            >>> [run.name for run in mosaic.connect().runs() if run.state == "failed"]
        """
        return [Run(self._root, row.run_id) for row in run_index.rows(self._root)]

    def get(self, text: str) -> Run:
        """The run with this id, unique prefix of one, or name; or the newest, for `last`.

        Raises:
            RunNotFoundError: there is none.
            AmbiguousRunError: there are several.

        Example:
            >>> mosaic.connect().get("last").episodes()
        """
        return Run(self._root, run_index.find(self._root, text).run_id)

    def __repr__(self) -> str:
        return f"Connection(home={str(self.home)!r})"
