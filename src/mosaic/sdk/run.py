"""One run, from Python. Every question is answered from its files as they are now; nothing is cached."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from mosaic.app import following, reading, run_index, series
from mosaic.errors import StoreError
from mosaic.protocol.runs import ENDED, RunState
from mosaic.runs.output import read_span
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from typing_extensions import Unpack

    from mosaic.app.branching import How
    from mosaic.app.matching import Match
    from mosaic.app.rating import League
    from mosaic.paths import DataRoot
    from mosaic.protocol.events import Config, Event
    from mosaic.protocol.rows import CheckpointRow, EpisodeRow, MetricRow, StepRow, StoreSummary
    from mosaic.protocol.runs import ExitRecord, RunRow
    from mosaic.replay.player import Player
    from mosaic.store.verify import Difference

__all__ = ["Run"]

_POLL_SECS = 0.05

E = TypeVar("E", bound="Event")


class Run:
    """One run. Made by `Connection.run`, `Connection.get` and `Connection.runs`.

    Questions about an ended run wait (at most `ingest_secs`) until all of it is in the store; those about a
    live one answer what is there.
    """

    def __init__(self, root: DataRoot, run_id: str, *, ingest_secs: float = 300.0) -> None:
        self._root = root
        self._run_id = run_id
        self._ingest_secs = ingest_secs

    @property
    def id(self) -> str:
        """The run's id."""
        return self._run_id

    @property
    def name(self) -> str:
        """The name it was given, or an empty text."""
        return self.row().name

    @property
    def state(self) -> str:
        """Where it stands now: queued, starting, running, paused, stopping, finished, failed and so on."""
        return self.row().state.value

    @property
    def reason(self) -> str:
        """Why it stands there, in plain words."""
        return self.row().reason

    @property
    def folder(self) -> Path:
        """Where everything about it is kept."""
        return self._root.run(self._run_id).path

    def row(self) -> RunRow:
        """All that a listing shows about it, at one look.

        Raises:
            RunNotFoundError: it was deleted.
        """
        return run_index.row_of(self._root, self._run_id)

    def wait(self, timeout_secs: float | None = None) -> ExitRecord | None:
        """Wait until the run has ended and everything it recorded can be read.

        Returns:
            How it ended: `code` or `signal`. None when nobody knows (state `lost`).

        Raises:
            TimeoutError: it has not, within `timeout_secs`.
            StoreError: what lies in its folder cannot be read.

        Example:
            >>> end = run.wait(timeout_secs=3600)
            >>> end.code
            0
        """
        until = None if timeout_secs is None else time.monotonic() + timeout_secs
        while (row := self.row()).state not in ENDED:
            if row.state is RunState.UNREADABLE:
                raise StoreError(f"run {self._run_id} is unreadable: {row.reason}")
            if until is not None and time.monotonic() > until:
                raise TimeoutError(f"run {self._run_id} is still {row.state.value} after {timeout_secs:g} s")
            reading.ensure_daemon(self._root)
            time.sleep(_POLL_SECS)
        left = self._ingest_secs if until is None else max(0.0, until - time.monotonic())
        if not reading.wait_ingested(self._root, self._run_id, timeout_secs=left):
            raise TimeoutError(f"run {self._run_id} has ended, but not all of it is in the store yet")
        return row.exit

    def stop(self, *, reason: str = "asked from Python", timeout_secs: float = 30.0) -> ExitRecord | None:
        """Stop the run and everything it started, and wait until it is gone.

        Raises:
            TimeoutError: something of it could not be killed in time; `reason` names it.
        """
        if self.row().state not in ENDED:
            with reading.daemon(self._root) as client:
                client.stop(self._run_id, reason=reason)
        return self.wait(timeout_secs)

    def pause(self) -> RunRow:
        """Pause the run where it stands. Its state says `paused` a moment later.

        Raises:
            UsageError: it does not run.
        """
        with reading.daemon(self._root) as client:
            return client.pause(self._run_id)

    def unpause(self) -> RunRow:
        """Let a paused run go on. `Connection.train(resume=…)` continues a training that has ended.

        Raises:
            UsageError: it is not paused, or the disk is too full for it.
        """
        with reading.daemon(self._root) as client:
            return client.unpause(self._run_id)

    def summary(self) -> StoreSummary:
        """Counts, speed, last return and warnings."""
        return reading.ask(
            self._root, self._run_id, lambda reader: reader.summary(), timeout_secs=self._ingest_secs
        )

    @property
    def warnings(self) -> list[str]:
        """What is wrong with its record, in plain words: what could not be recorded, or had to be rebuilt.

        Example:
            >>> run.warnings
            []
        """
        return self.summary().warnings

    def episodes(self, *, role: str | None = None) -> list[EpisodeRow]:
        """Its episodes, by index.

        Args:
            role: Only those played for this: `"train"`, `"eval"`, or `"unknown"` when nobody said.

        Raises:
            UsageError: there is no such role.

        Example:
            >>> [episode.return_ for episode in run.episodes(role="eval")]
        """
        return reading.ask(
            self._root,
            self._run_id,
            lambda reader: reader.episodes(role=role),
            timeout_secs=self._ingest_secs,
        )

    def steps(self, episode: int | str) -> list[StepRow]:
        """The steps of one episode, by its index or its id.

        Raises:
            UsageError: there is no such episode.

        Example:
            >>> [step.reward for step in run.steps(0)]
        """
        return reading.ask(
            self._root,
            self._run_id,
            lambda reader: reader.steps(reader.episode(episode).index),
            timeout_secs=self._ingest_secs,
        )

    def metrics(self, name: str | None = None, *, role: str | None = None) -> list[MetricRow]:
        """What it logged: everything, or one metric by its own name or ours (`return`, `lr`, `loss/…`).

        For `return` and `length`, a run whose framework logged none gives its episodes' own: of those that
        were played to their end, the training and unknown ones; of a run that has none of these, evaluation.

        Args:
            name: Which metric.
            role: With `return` and `length`: the episodes' own, of this role alone.

        Example:
            >>> [row.value for row in run.metrics("return")]
        """
        return reading.ask(
            self._root,
            self._run_id,
            lambda reader: series.metrics(reader, name, role=role),
            timeout_secs=self._ingest_secs,
        )

    def checkpoints(self) -> list[CheckpointRow]:
        """The files it saved policies to."""
        return reading.ask(
            self._root, self._run_id, lambda reader: reader.checkpoints(), timeout_secs=self._ingest_secs
        )

    @overload
    def events(
        self, kind: type[E], *, episode: int | str | None = None, step: int | None = None
    ) -> list[E]: ...

    @overload
    def events(
        self, kind: str | None = None, *, episode: int | str | None = None, step: int | None = None
    ) -> list[Any]: ...

    def events(
        self,
        kind: str | type[Any] | None = None,
        *,
        episode: int | str | None = None,
        step: int | None = None,
    ) -> list[Any]:
        """What else it recorded, as the structs of `mosaic.protocol.events`: decisions, beliefs, logs, ….

        Args:
            kind: `"decision"`, or the struct `Decision`; all kinds without it. What this version does not
                know, or an earlier one wrote in another way, is a `mosaic.protocol.codec.Unknown`.
            episode: only those about this episode, by its index or its id.
            step: only those about this step of it.

        Raises:
            UsageError: no such episode, or a kind that has a method of its own (steps, metrics).

        Example:
            >>> [decision.verdict for decision in run.events("decision", episode=0)]
        """
        from mosaic.store.eventlog import typed

        name = str(kind.__struct_config__.tag) if isinstance(kind, type) else kind
        found = reading.ask(
            self._root,
            self._run_id,
            lambda reader: reader.events(name, episode=episode, step=step),
            timeout_secs=self._ingest_secs,
        )
        return [typed(one) for one in found]

    @property
    def config(self) -> Config:
        """What it was told: `algo`, `env_id`, `seed` and all hyperparameters in `args`, the latest of each.

        Example:
            >>> run.config.args["learning_rate"]
        """
        return reading.ask(
            self._root, self._run_id, lambda reader: reader.config(), timeout_secs=self._ingest_secs
        )

    def logs(self, *, stderr: bool = False) -> str:
        """What it has written to its standard output, or its standard error, so far. Untrusted text."""
        folder = self._root.run(self._run_id)
        path = folder.stderr if stderr else folder.stdout
        try:
            with os.fdopen(open_regular(path), "rb") as file:
                end = os.fstat(file.fileno()).st_size
                return read_span(file.fileno(), 0, end).data.decode("utf-8", "backslashreplace")
        except FileNotFoundError:
            return ""

    def follow_episodes(self) -> Iterator[EpisodeRow]:
        """Its episodes as they change: what there is, then live, until the run has ended.

        An episode comes again when it has grown or ended; `t_end` is set once it has.

        Example:
            >>> for episode in run.follow_episodes():
            ...     if episode.t_end is not None:
            ...         print(episode.index, episode.return_)
        """
        return following.episodes(self._root, self._run_id, ingest_secs=self._ingest_secs)

    def follow_steps(self) -> Iterator[tuple[str, StepRow]]:
        """Its steps with their episode's id, as they were stored: history, then live, until it ends."""
        return following.steps(self._root, self._run_id, ingest_secs=self._ingest_secs)

    def follow_events(self, kind: str | None = None) -> Iterator[Any]:
        """The same as `events`, as they come: history, then live, until it ends."""
        from mosaic.store.eventlog import typed

        kinds = None if kind is None else [kind]
        found = following.events(self._root, self._run_id, kinds=kinds, ingest_secs=self._ingest_secs)
        return (typed(one) for one in found)

    def export(
        self, kind: str, path: str | Path, *, table: str | None = None, force: bool = False
    ) -> list[Path]:
        """Write its tables as `csv`, `jsonl`, `parquet` or `tensorboard` files, and return which.

        Example:
            >>> run.export("csv", "results")
        """
        from mosaic.exporting.formats import export

        return reading.ask(
            self._root,
            self._run_id,
            lambda reader: export(reader, kind, Path(path), table=table, force=force),
            timeout_secs=self._ingest_secs,
        )

    def verify(self) -> list[Difference]:
        """Where its journal and its store disagree: nowhere, if all is well."""
        from mosaic.store.verify import verify

        reading.wait_ingested(self._root, self._run_id, timeout_secs=self._ingest_secs)
        return verify(self._root.run(self._run_id))

    def match(self) -> Match:
        """What a match came to: each side's figures, and every two compared seed by seed.

        Raises:
            UsageError: the run is not a match of two or more.

        Example:
            >>> match = mosaic.connect().get("last").match()
            >>> match.pairs[0].paired.mean.value
        """
        from mosaic.app.matching import match_of

        return reading.ask(self._root, self._run_id, match_of, timeout_secs=self._ingest_secs)

    def league(self) -> League:
        """What a league came to so far: ratings with intervals, who won against whom, and every game.

        Runs that went on from this one, and those it went on from, count too.

        Raises:
            UsageError: the run is not a league.

        Example:
            >>> league = mosaic.connect().get("last").league()
            >>> [(one.player, one.elo) for one in league.ratings.groups[0].ratings]
        """
        from mosaic.app.leagues import standing_of

        return standing_of(self._root, self._run_id).league

    def replay(self, episode: int | str, *, allowed: Sequence[str] = (), python: str | None = None) -> Player:
        """Simulate one of its episodes again, by its index or its id, to look at any of its steps.

        Args:
            episode: Which one.
            allowed: Modules that may be imported for its environment, besides the known libraries.
            python: The interpreter to use instead of the recorded one.

        Returns:
            The open episode, a context manager: `verdict`, `frame(step)`, `scene(step)`, `seek(step)`,
                `play(speed)`.

        Raises:
            UsageError: there is no such episode.
            ReplayError: it cannot be replayed at all; says why.
            ConsentNeededError: a module would have to be allowed first.

        Example:
            >>> with run.replay(7) as episode:
            ...     print(episode.verdict.sentence())
            ...     pixels = episode.frame(12).array()
        """
        from mosaic.replay.player import Player

        reading.ask(
            self._root, self._run_id, lambda reader: reader.episode(episode), timeout_secs=self._ingest_secs
        )
        return Player(self._root.run(self._run_id), episode, allowed=allowed, python=python)

    def branch(
        self,
        episode: int | str,
        step: int,
        operator: str | None = None,
        *,
        seats: Mapping[str, str] | None = None,
        operator_parameters: Mapping[str, Any] | None = None,
        **how: Unpack[How],
    ) -> Run:
        """Let somebody go on from a step of one of its episodes, as a new run; returns once it is submitted.

        Args:
            episode: Which one, by its index or its id.
            step: How many of its steps are played as recorded.
            operator: Who decides then for everybody that has no seat, as `mosaic play` takes it; `random`
                when nobody is named.
            seats: Who decides for one agent, by its name.
            operator_parameters: For the operators that have them, such as `sample` of a policy.
            how: `seed`, `max_steps`, `fps`, `on_failure`, `deadline_secs`, `name`, `tags`, `allowed`
                (modules that may be imported), `python`: as `mosaic branch` takes them.

        Raises:
            UsageError: there is no such episode, step, operator or agent.
            ReplayError: the episode does not replay exactly up to that step.
            DaemonError: the daemon cannot be reached or started.

        Example:
            >>> saved = run.branch(7, 40, "other-run:best", on_failure="random")
            >>> saved.wait()
        """
        from mosaic.app.branching import branch
        from mosaic.protocol.sessions import EVERYBODY

        everybody = "random" if operator is None and not seats else operator
        how["parameters"] = {f"op.{key}": value for key, value in (operator_parameters or {}).items()}
        run_id = branch(
            self._root,
            self._run_id,
            episode,
            step,
            seats={**(seats or {}), **({} if everybody is None else {EVERYBODY: everybody})},
            **how,
        )
        return Run(self._root, run_id, ingest_secs=self._ingest_secs)

    def __repr__(self) -> str:
        return f"Run({self._run_id!r})"
