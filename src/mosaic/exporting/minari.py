"""Recorded runs as one Minari dataset. Every episode is simulated again first; only exact ones are written.

There are two children. One rebuilds the environment in the interpreter that recorded the run, and gives its
spaces, observations and actions as arrays; the other writes them in an interpreter that has minari. They get
everything over pipes, one episode at a time. The dataset is put together in a staging folder, and read back
there before it gets its name.
"""

from __future__ import annotations

import re
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from mosaic import worker_site
from mosaic.errors import ReplayError, UsageError
from mosaic.exporting.interventions import corrected
from mosaic.paths import DataRoot
from mosaic.protocol.events import Decision
from mosaic.replay.chains import key_of
from mosaic.replay.child import Child
from mosaic.replay.interpreter import Interpreter
from mosaic.replay.resimulator import Resimulator
from mosaic.runs.staging import staging, sweep
from mosaic.store.eventlog import typed
from mosaic.store.reader import StoreReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import EpisodeRow, StepRow
    from mosaic.replay.resimulator import Column

__all__ = ["Chosen", "Dataset", "Left", "check_id", "default_id", "export_minari"]

_ID = re.compile(r"(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+-v[0-9]+")
_NAMESPACE_FILE = "namespace_metadata.json"
_DECISION = str(Decision.__struct_config__.tag)
_NAMED = 5  # reasons, and episodes of one reason, in a sentence


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """Which episodes of the runs, and how they may be replayed.

    `episodes` are indexes or ids, all without any; `role` is what they were played for; `allowed` are modules
    that may be imported for their environment. With `skip`, episodes that cannot be written are left out.
    """

    episodes: tuple[int | str, ...] = ()
    role: str | None = None
    allowed: tuple[str, ...] = ()
    skip: bool = False


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """An episode that is not in the dataset, and why."""

    run_id: str
    episode: int
    why: str


class Dataset(msgspec.Struct, frozen=True, kw_only=True):
    """What was written. `interventions` are the steps somebody corrected."""

    id: str
    path: Path
    episodes: int
    steps: int
    interventions: int
    left: tuple[Left, ...]
    notes: tuple[str, ...]


def default_id(env_id: str, run_name: str) -> str:
    """`mosaic/<environment>/<run>-v0`, of the letters minari takes."""
    env, run = (re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-").lower() for text in (env_id, run_name))
    return f"mosaic/{env or 'environment'}/{run or 'run'}-v0"


def check_id(dataset_id: str) -> str:
    """A dataset's id.

    Raises:
        UsageError: minari takes no such id.
    """
    if not _ID.fullmatch(dataset_id):
        raise UsageError(
            f"{dataset_id!r} is not a dataset id: it is made of letters, digits, - and _, with / between its "
            "parts, and ends with a version, like mosaic/cartpole/corrections-v0"
        )
    return dataset_id


def export_minari(
    runs: Sequence[RunFolder],
    chosen: Chosen,
    *,
    python: str,
    dataset_id: str | None = None,
    name: str = "",
    into: Path | None = None,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Dataset:
    """Write episodes of runs as one Minari dataset.

    Args:
        runs: Whose episodes; all of one environment.
        chosen: Which episodes, and how they may be replayed.
        python: An interpreter that has minari.
        dataset_id: By default made from the environment and `name`.
        name: What the default id calls the runs.
        into: The folder datasets lie in; by default minari's own.
        force: Replace a dataset of that id.
        progress: Told how many steps are done, and of how many.

    Raises:
        UsageError: the dataset is there already, no episode is left to write, or the runs do not go together.
        ReplayError: episodes cannot be replayed exactly; says which and why.
        ConsentNeededError: a module would have to be allowed first.
    """
    if dataset_id is not None:
        check_id(dataset_id)
    with ExitStack() as stack:
        site = worker_site.install(DataRoot(runs[0].path.parent.parent))
        writer = stack.enter_context(
            Child(site, Interpreter(python=python, cwd="/", path=[]), program="dataset")
        )
        root = _root(writer, python, into)
        root.mkdir(parents=True, exist_ok=True)
        sweep(root)
        inside = stack.enter_context(staging(root))
        work = _Work(writer, chosen, root, inside, dataset_id=dataset_id, name=name, force=force)
        readers = [stack.enter_context(StoreReader(run)) for run in runs]
        rows = [_rows(reader, chosen, alone=len(runs) == 1) for reader in readers]
        total, done = sum(row.steps for of_run in rows for row in of_run), 0
        for run, reader, of_run in zip(runs, readers, rows, strict=True):
            with Resimulator(run, reader, allowed=chosen.allowed) as resimulator:
                for row in of_run:
                    work.add(run, reader, resimulator, row)
                    done += row.steps
                    progress(done, total)
        return work.finish()


def _root(writer: Child, python: str, into: Path | None) -> Path:
    """Where datasets lie: the folder that was named, or minari's own."""
    try:
        found = writer.ask({"type": "find", "root": into is None})
    except ReplayError as error:
        raise UsageError(
            f"{python} cannot write Minari datasets: {error}. It needs minari, h5py and pillow; let MOSAIC "
            "make an environment for that with --install, or name another with --python PATH"
        ) from error
    return Path(found["root"]) if into is None else into.absolute()


def _rows(reader: StoreReader, chosen: Chosen, *, alone: bool) -> list[EpisodeRow]:
    if not chosen.episodes:
        return reader.episodes(role=chosen.role)
    if not alone:
        raise UsageError("episodes are chosen by --episode from one run; name one RUN")
    rows = [reader.episode(key) for key in chosen.episodes]
    return [row for row in rows if chosen.role is None or (row.role or "unknown") == chosen.role]


class _Work:
    """One dataset in the making."""

    def __init__(
        self,
        writer: Child,
        chosen: Chosen,
        root: Path,
        staging: Path,
        *,
        dataset_id: str | None,
        name: str,
        force: bool,
    ) -> None:
        self._writer, self._chosen, self._root, self._staging = writer, chosen, root, staging
        self._id, self._name, self._force = dataset_id, name, force
        self._left: list[Left] = []
        self._broken: list[Left] = []
        self._notes: dict[str, None] = {}
        self._interventions = 0
        self._seen: set[tuple[str, str]] = set()
        """The environments whose spaces were compared, each by its run and key."""
        self._opened: tuple[str, bytes, str] | None = None
        """The environment's id, its spaces, and the run they were first seen in."""

    def add(self, run: RunFolder, reader: StoreReader, resimulator: Resimulator, row: EpisodeRow) -> None:
        """Replay an episode and hand it to the writer; what cannot be is remembered."""
        run_id = run.path.name
        if row.steps == 0 or row.outcome is None:
            why = "without a step" if row.steps == 0 else "not ended yet"
            self._left.append(Left(run_id=run_id, episode=row.index, why=why))
            return
        observed: list[Column] = []
        verdict = resimulator.judge(row, observed=observed)
        if not verdict.exact:
            self._broken.append(Left(run_id=run_id, episode=row.index, why=verdict.sentence()))
            return
        if self._broken and not self._chosen.skip:
            return  # nothing will be written: the rest is replayed to say all that is wrong
        steps = reader.steps(row.index)
        actions = [step.action for step in steps]
        decisions = (typed(event) for event in reader.each_event(_DECISION, episode=row.index))
        marks = corrected(actions, (event for event in decisions if isinstance(event, Decision)))
        acted, unfit = resimulator.actions(row, actions, marks.proposed)
        self._open(run_id, reader, resimulator, row)
        self._interventions += sum(marks.intervention)
        if unfit:
            self._note(
                f"{len(unfit)} proposals of episode {row.index} are not actions of the environment; the "
                "executed ones stand in their place"
            )
        self._write((*observed, *acted, *_plain_columns(row, steps, marks.intervention)))
        self._writer.ask({"type": "episode", **_about(run_id, row, reader.reset(row.index))})

    def finish(self) -> Dataset:
        """Close the dataset, have it read back, and give it its name."""
        if self._broken and not self._chosen.skip:
            raise ReplayError(_sentence(self._broken))
        left = tuple(sorted((*self._left, *self._broken), key=lambda one: (one.run_id, one.episode)))
        if self._opened is None or self._id is None:
            why = f" {_sentence(left)}" if left else ""
            raise UsageError(f"there are no episodes to write.{why}")
        found = self._writer.ask({"type": "close"})
        path = self._name_it(self._id)
        return Dataset(
            id=self._id,
            path=path,
            episodes=int(found["episodes"]),
            steps=int(found["steps"]),
            interventions=self._interventions,
            left=left,
            notes=tuple(self._notes),
        )

    def _open(self, run_id: str, reader: StoreReader, resimulator: Resimulator, row: EpisodeRow) -> None:
        seen = run_id, key_of(row)
        if seen in self._seen:
            return
        self._seen.add(seen)
        env = resimulator.environment_of(row)
        env_id = str(env.get("id") or env.get("entry_point") or env.get("module") or "environment")
        told = msgspec.json.decode(resimulator.spaces(row))
        spaces = msgspec.json.encode([told["observation"], told["action"]])
        if self._opened is not None:
            self._check_same(self._opened, (env_id, spaces, run_id), row)
            return
        if self._id is None:
            self._id = default_id(env_id, self._name or run_id)
        self._refuse_existing(self._id)
        request = {
            "type": "open",
            "id": self._id,
            "folder": str(self._staging),
            "metadata": {
                "algorithm_name": reader.config().algo or "unknown",
                "description": f"Episodes of {env_id}, recorded by MOSAIC and re-simulated exactly.",
                "requirements": _requirements(env.get("versions") or {}),
            },
        }
        answer = self._writer.ask(request, msgspec.json.encode(told))
        if not answer.get("recoverable"):
            self._note(f"the dataset cannot recover its environment: {answer.get('why')}")
        self._opened = env_id, spaces, run_id

    def _check_same(
        self, first: tuple[str, bytes, str], now: tuple[str, bytes, str], row: EpisodeRow
    ) -> None:
        if first[:2] == now[:2]:
            return
        what = f"the environment {now[0]}" if first[0] != now[0] else "other spaces"
        raise UsageError(
            f"episode {row.index} of run {now[2]} has {what}, run {first[2]} began with {first[0]}: "
            "a dataset is of one environment. Export them one by one, or choose with --role or --episode"
        )

    def _refuse_existing(self, dataset_id: str) -> None:
        if (self._root / dataset_id).exists() and not self._force:
            raise UsageError(
                f"there is a dataset {dataset_id} in {self._root}. "
                "Name another with --dataset, or add --force."
            )

    def _write(self, columns: Sequence[Column]) -> None:
        for header, body in columns:
            self._writer.ask(header, body)

    def _note(self, text: str) -> None:
        self._notes.setdefault(text)

    def _name_it(self, dataset_id: str) -> Path:
        """Move the finished dataset to where minari looks for it."""
        target = self._root / dataset_id
        self._refuse_existing(dataset_id)
        for parent in reversed(Path(dataset_id).parents[:-1]):
            (self._root / parent).mkdir(exist_ok=True)
            told = self._root / parent / _NAMESPACE_FILE
            if not told.exists():
                shutil.copyfile(self._staging / parent / _NAMESPACE_FILE, told)
        if target.exists():
            target.rename(self._staging / "replaced")
        (self._staging / dataset_id).rename(target)
        return target


def _sentence(left: Sequence[Left]) -> str:
    """Which episodes are not written, and why; those with one reason together, the first reasons in full."""
    together: dict[tuple[str, str], list[str]] = {}
    for one in left:
        together.setdefault((one.run_id, one.why), []).append(str(one.episode))
    told = [
        f"{'episode' if len(which) == 1 else 'episodes'} {_listed(which)} of run {run_id}: {why}"
        for (run_id, why), which in list(together.items())[:_NAMED]
    ]
    more = f"; and more for {len(together) - _NAMED} other reasons" if len(together) > _NAMED else ""
    count = "an episode" if len(left) == 1 else f"{len(left)} episodes"
    return f"{count} cannot be written: {'; '.join(told)}{more}. To leave such episodes out, add --skip"


def _listed(which: Sequence[str]) -> str:
    shown = ", ".join(which[:_NAMED])
    return f"{shown} and {len(which) - _NAMED} more" if len(which) > _NAMED else shown


def _plain_columns(
    row: EpisodeRow, steps: Sequence[StepRow], intervention: Sequence[bool]
) -> Iterator[Column]:
    """Rewards, flags and marks. Minari knows two ends only: an episode that was cut counts as truncated."""
    terminated = np.array([step.terminated for step in steps], np.bool_)
    truncated = np.array([step.truncated for step in steps], np.bool_)
    if row.outcome == "cut":
        truncated[-1] = True
    yield _column("rewards", np.array([step.reward for step in steps], np.float64))
    yield _column("terminations", terminated)
    yield _column("truncations", truncated)
    yield _column("intervention", np.array([False, *intervention], np.bool_))  # the first row is the reset's


def _column(name: str, values: npt.NDArray[Any]) -> Column:
    header = {"type": "column", "name": name, "path": [], "dtype": values.dtype.str}
    return {**header, "shape": list(values.shape)}, values.tobytes()


def _about(run_id: str, row: EpisodeRow, reset: dict[str, Any]) -> dict[str, Any]:
    """What minari keeps of an episode besides its data: seed, plain options, and where it comes from."""
    options = reset.get("options")
    plain = (
        {key: value for key, value in options.items() if isinstance(value, bool | int | float | str)}
        if isinstance(options, dict)
        else None
    )
    origin = {"mosaic_run": run_id, "mosaic_episode": row.index, "mosaic_outcome": row.outcome}
    return {"seed": row.seed, "options": plain or None, "origin": origin}


def _requirements(versions: dict[str, Any]) -> list[str]:
    return [f"{name}=={version}" for name, version in sorted(versions.items()) if name != "python"]
