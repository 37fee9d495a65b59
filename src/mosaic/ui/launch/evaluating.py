"""What happens when somebody uses what was trained: looks, hashes, trusts, imports, evaluates.

The model decides; this obeys, off the window's thread. Whatever is refused leaves the choice as it was.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject

from mosaic.errors import StoreError, UsageError
from mosaic.protocol.runs import ENDED
from mosaic.runners.parameters import convert
from mosaic.ui.launch.model.trained import Trained, evaluation_form, title_of
from mosaic.ui.shell.following import Following

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.artifacts.checkpoints import Known
    from mosaic.paths import DataRoot
    from mosaic.protocol.runs import RunState
    from mosaic.ui.launch.launching import Launching
    from mosaic.ui.launch.model.form import Form
    from mosaic.ui.shell.context import Context

__all__ = ["Evaluating"]

# What reads checkpoints loads a while: it is imported by the work itself, not while the window opens.


def _everywhere(root: DataRoot) -> list[Known]:
    from mosaic.artifacts import checkpoints

    return checkpoints.everywhere(root)


def _of_runs(root: DataRoot, run_ids: tuple[str, ...]) -> list[Known]:
    """The checkpoints of these runs. Runs that cannot be read are left out."""
    from mosaic.artifacts import checkpoints

    found: list[Known] = []
    for run_id in run_ids:
        with suppress(StoreError):
            found += checkpoints.of_run(root, run_id)
    return found


def _find(root: DataRoot, path: str) -> Known:
    from mosaic.artifacts import checkpoints

    return checkpoints.find(root, path)


def _verified(one: Known) -> Known:
    from mosaic.artifacts import checkpoints

    return checkpoints.verified(one)


def _trust(root: DataRoot, one: Known) -> Known:
    """Trust exactly the bytes whose hash was shown."""
    from mosaic.artifacts import trust

    if trust.hash_file(one.path).sha256 != one.row.sha256:
        raise UsageError(f"{one.path} changed since its hash was shown: nothing was trusted")
    trust.trust(root, one.path)
    return msgspec.structs.replace(one, trusted=trust.is_trusted(root, one.row.sha256))


def _evaluate(root: DataRoot, one: Known, *, episodes: int, seed: int, env_id: str, name: str) -> list[str]:
    from mosaic.app import evaluating, training

    made = evaluating.plan(
        root,
        one,
        episodes=episodes,
        seed=seed,
        env_id=env_id,
        runner=one.runner,
        algorithm=one.algorithm,
    )
    return [training.submit(root, training.accept(made), name=name)]


class Evaluating(QObject):
    """Carries out what the use-trained page asks for.

    Args:
        context: the window's.
        launching: whose runner is shown, and who presents what was started.
        gap_ms: the shortest time between two looks for checkpoints.
    """

    def __init__(self, context: Context, launching: Launching, *, gap_ms: int = 1500) -> None:
        super().__init__()
        self._context = context
        self._launching = launching
        self._launch = launching.launch
        self.trained = Trained(state_of=self._state_of, needs_trust=self._needs_trust)
        self._forms: dict[str, Form] = {}
        self._hashing = ""
        self.following: Following[tuple[tuple[str, ...], list[Known]]] = Following(
            context,
            wanted=lambda: [row.run_id for row in context.runs.rows],
            work=self._work,
            take=self._take,
            failed=self._refused,
            gap_ms=gap_ms,
        )
        """Keeps the checkpoints up to date while the page is on the screen."""
        context.runs.changed.connect(self._runs_changed)
        context.asks.evaluate.connect(self._asked)
        self._launch.picked.connect(self._picked)
        self.trained.changed.connect(self._check_chosen)

    @property
    def form(self) -> Form:
        """What is typed for the chosen runner: each keeps its own."""
        runner = self._launch.runner
        if runner not in self._forms:
            form = self._forms[runner] = evaluation_form(convert=convert, texts=self._launch.evaluation())
            form.changed.connect(lambda _: self._typed(runner))
        return self._forms[runner]

    def look(self) -> None:
        """See at once which checkpoints there are, of all runs."""
        root = self._context.root
        self._context.ops.run(lambda: _everywhere(root), done=self.trained.show, failed=self._refused)

    def import_file(self, path: str) -> None:
        """Take in a file somebody names. Nothing is copied, and nothing of it is run."""
        root, algorithm = self._context.root, self._launch.algorithm
        runner, named = self._launch.runner, algorithm.id if algorithm is not None else ""
        self.trained.began("Reading the file…")
        self._context.ops.run(
            lambda: _find(root, path.strip()),
            done=lambda found: self.trained.add(found, runner=runner, algorithm=named),
            failed=self._refused,
        )

    def trust_chosen(self) -> None:
        """The user says that the chosen file may be loaded: exactly the bytes that were shown."""
        chosen, root = self.trained.chosen, self._context.root
        if chosen is None:
            return
        self.trained.began("Reading the file…")
        self._context.ops.run(lambda: _trust(root, chosen), done=self._trusted, failed=self._refused)

    def start(self) -> None:
        """Evaluate the chosen checkpoint."""
        chosen, form, root = self.trained.chosen, self.form, self._context.root
        if chosen is None or self.trained.blocked(form, runner=self._launch.runner):
            return
        episodes, seed = form.value("episodes"), form.value("seed")
        env_id, name = form.value("env_id"), form.value("name")

        def work() -> list[str]:
            return _evaluate(root, chosen, episodes=episodes, seed=seed, env_id=env_id, name=name)

        def done(run_ids: list[str]) -> None:
            self.trained.ended()
            self._launching.present(run_ids, name or f"an evaluation of {title_of(chosen)}")

        self.trained.began("Checking and starting…")
        self._context.ops.run(work, done=done, failed=self._refused)

    # -- inside ----------------------------------------------------------------------------------

    def _refused(self, why: str) -> None:
        self.trained.ended(problem=why)

    def _trusted(self, one: Known) -> None:
        self.trained.ended()
        self.trained.update(one)

    def _typed(self, runner: str) -> None:
        self._launch.remembered.evaluations[runner] = self._forms[runner].differing
        self._launching.keep()
        self.trained.changed.emit()

    def _picked(self) -> None:
        """The first look, when there is no list of runs (yet) that says what to read."""
        if self._launch.page == "trained" and not self.trained.loaded and not len(self._context.runs):
            self.look()

    def _work(self, due: tuple[str, ...]) -> Callable[[], tuple[tuple[str, ...], list[Known]]]:
        root = self._context.root
        return lambda: (due, _of_runs(root, due))

    def _take(self, found: tuple[tuple[str, ...], list[Known]]) -> bool:
        looked_at, known = found
        self.trained.show(known, of=looked_at)
        return False

    def _runs_changed(self, moved: frozenset[str]) -> None:
        """What is stored is followed; that a run ended well, or was deleted, is in no store."""
        rows = {run_id: self._context.runs.get(run_id) for run_id in moved}
        if self.trained.loaded and any(row is None or row.state in ENDED for row in rows.values()):
            self.trained.forget([run_id for run_id, row in rows.items() if row is None])

    def _check_chosen(self) -> None:
        """Hash the chosen one, once: whether it is what was recorded is said before it is used."""
        chosen = self.trained.chosen
        if chosen is not None and chosen.intact is None and self._hashing != str(chosen.path):
            self._hashing = str(chosen.path)
            self._context.ops.run(lambda: _verified(chosen), done=self.trained.update, failed=self._refused)

    def _asked(self, run_id: str, path: str) -> None:
        file = str(self._context.root.run(run_id).path / path)  # an absolute path stays what it is
        root = self._context.root

        def done(found: list[Known]) -> None:
            self.trained.show(found)
            one = next((one for one in found if str(one.path) == file), None)
            if one is None or not self._launch.offer(one.runner, one.algorithm):
                way = f" A command of yours can play it: {one.played_by}" if one is not None else ""
                self._context.toasts.say(
                    f"{file} cannot be evaluated: no runner here loads it.{way}", level="bad"
                )
                return
            self.trained.choose(file)

        self._context.ops.run(lambda: _everywhere(root), done=done)

    def _state_of(self, run_id: str) -> RunState | None:
        row = self._context.runs.get(run_id)
        return row.state if row is not None else None

    def _needs_trust(self, runner: str) -> bool:
        entry = self._launch.catalog.get(runner)
        return entry is None or entry.card is None or entry.card.pickled_checkpoints
