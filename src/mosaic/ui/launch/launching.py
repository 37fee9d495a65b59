"""What happens when somebody uses the launch panel: checks after a pause, installs, starts, remembers.

The models decide; this obeys, off the window's thread, and brings the answers back. At most one preflight is
under way: what changes meanwhile is checked when it is done.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, QTimer

from mosaic.app import training
from mosaic.errors import UsageError
from mosaic.runners.parameters import convert
from mosaic.ui.launch import work
from mosaic.ui.launch.memory import recall, remember
from mosaic.ui.launch.model.launch import SCRIPT, Launch
from mosaic.ui.launch.model.memory import Memory
from mosaic.ui.launch.model.script import script_form, script_spec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mosaic.app.training import Plan
    from mosaic.protocol.cards import Job
    from mosaic.ui.launch.model.catalog import Catalog, Entry
    from mosaic.ui.shell.context import Context

__all__ = ["Launching"]


class Launching(QObject):
    """Carries out what the launch form asks for.

    Args:
        context: the window's.
        catalog: the runners there are, which others may show too.
        pause_ms: how long nothing must change before the preflight looks.
        keep_ms: how long nothing must change before what is typed is written down.
    """

    def __init__(
        self, context: Context, catalog: Catalog, *, pause_ms: int = 500, keep_ms: int = 1000
    ) -> None:
        super().__init__()
        self._context = context
        self.catalog = catalog
        self.launch = Launch(self.catalog, convert=convert, memory=recall(context.root))
        self.script = script_form(home=Path.home())
        self.script.restore({"cwd": str(Path.home()), **self.launch.script()})
        self._checking = False
        self._cancelled: dict[str, threading.Event] = {}
        self._when_loaded: list[tuple[str, str, str]] = []
        self._pause = _timer(self, pause_ms, self._check)
        self._soon = _timer(self, pause_ms // 5, self._preview)
        self._keep = _timer(self, keep_ms, self._remember)
        self.launch.changed.connect(self._changed)
        self.script.changed.connect(lambda _: self._keep.start())
        asks = context.asks
        asks.launch.connect(self._asked)
        asks.run_script.connect(lambda: self._asked(SCRIPT, "", ""))
        asks.train_from.connect(self._train_from)
        asks.resume.connect(self._resume)

    # -- looking and installing ------------------------------------------------------------------

    def look(self) -> None:
        """See which runners there are, and how each stands."""
        root, checkouts = self._context.root, dict(self.launch.checkouts)
        self._context.ops.run(lambda: work.look(root, checkouts), done=self._looked)

    def look_in(self, runner_id: str, folder: str) -> None:
        """Have a runner look for its algorithms in a folder; none: where the settings say."""
        self.launch.checkouts[runner_id] = str(Path(folder.strip()).expanduser()) if folder.strip() else ""
        self._keep.start()
        self.look()

    def install(self, runner_id: str) -> None:
        """Install a runner; the form stays usable meanwhile."""
        entry = self.catalog.get(runner_id)
        if entry is None or not self.catalog.begin(runner_id):
            return
        root, bridge = self._context.root, self._context.bridge
        gone = self._cancelled[runner_id] = threading.Event()

        def progress(text: str, fraction: float | None) -> None:
            if gone.is_set():
                raise work.InstallCancelledError(
                    "The installation was given up. What was downloaded is kept."
                )
            bridge.post(lambda: self.catalog.progress(runner_id, text, fraction))

        self._context.ops.run(
            lambda: work.install(root, runner_id, progress=progress, again=entry.state == "broken"),
            done=lambda _: self._installed(runner_id, entry.title),
            failed=lambda why: self._ended(runner_id, failed=why),
        )

    def cancel(self, runner_id: str) -> None:
        """Give an installation up: it ends at its next sign of life."""
        if runner_id in self._cancelled:
            self._cancelled[runner_id].set()
            self.catalog.progress(runner_id, "Giving it up…", None)

    def close(self) -> None:
        """The window goes: give up what is being installed, write down what is typed."""
        for gone in self._cancelled.values():
            gone.set()
        self._pause.stop()
        self._soon.stop()
        if self._keep.isActive():
            self._keep.stop()
            remember(self._context.root, self._memory())

    def keep(self) -> None:
        """Something typed changed: write it down soon."""
        self._keep.start()

    # -- starting --------------------------------------------------------------------------------

    def start(self) -> None:
        """Start what is typed: the plan that was checked while it was typed. Without one, nothing happens."""
        launch, root, plan = self.launch, self._context.root, self.launch.plan
        if plan is None or launch.blocked:
            return  # why is said beside the button
        name, tags, seeds = launch.basics.value("name"), launch.basics.value("tags"), launch.seeds
        launch.launch_began()
        self._context.ops.run(
            lambda: work.start(root, plan, seeds=seeds, name=name, tags=tags),
            done=lambda run_ids: self._started(run_ids, _titled(plan.job, name, len(run_ids))),
            failed=lambda why: launch.launch_ended(problem=why),
        )

    def start_script(self) -> None:
        """Start the command that is typed."""
        launch, root = self.launch, self._context.root
        try:
            spec = script_spec(self.script)
        except UsageError as error:
            launch.launch_ended(problem=str(error))
            return
        launch.launch_began()
        self._context.ops.run(
            lambda: [work.start_script(root, spec)],
            done=lambda run_ids: self._started(run_ids, spec.name or "your command"),
            failed=lambda why: launch.launch_ended(problem=why),
        )

    def _started(self, run_ids: list[str], what: str) -> None:
        self.launch.launch_ended()
        self.present(run_ids, what)

    def present(self, run_ids: list[str], what: str) -> None:
        """Show runs that were just started, and offer to stop them."""
        context = self._context
        context.selection.choose(run_ids, focus=run_ids[0])
        context.asks.watch.emit(run_ids[0])
        context.toasts.say(
            f"Started {what}",
            level="good",
            action="Stop",
            act=lambda: self._stop(run_ids),
            secs=10.0,
        )

    def _stop(self, run_ids: list[str]) -> None:
        root = self._context.root
        self._context.ops.run(lambda: work.stop(root, run_ids))

    # -- checking --------------------------------------------------------------------------------

    def _changed(self) -> None:
        self._keep.start()
        if self.launch.checking:
            self._pause.start()
            self._soon.start()

    def _preview(self) -> None:
        """The command, at once: it needs no preflight."""
        asked = self.launch.ask()
        if asked is not None:
            number, job = asked
            root = self._context.root
            self._context.ops.run(
                lambda: work.command(root, job),
                done=lambda words: self.launch.preview(number, words),
                failed=lambda _: None,  # the preflight says the same, and better
            )

    def _check(self) -> None:
        asked = self.launch.ask()
        if asked is None or self._checking:
            return
        number, job = asked
        root = self._context.root
        self._checking = True

        def done(plan: Plan) -> None:
            self.launch.answer(number, plan=plan)
            self._checked()

        def failed(why: str) -> None:
            self.launch.answer(number, failed=why)
            self._checked()

        self._context.ops.run(lambda: training.plan(root, job), done=done, failed=failed)

    def _checked(self) -> None:
        self._checking = False
        if self.launch.checking:  # what is typed changed meanwhile
            self._pause.start()

    # -- what others ask for ---------------------------------------------------------------------

    def _asked(self, runner: str, algorithm: str, env_id: str) -> None:
        if not self.catalog.loaded:
            self._when_loaded = [(runner, algorithm, env_id)]
        elif not self.launch.fill(runner, algorithm, **({"env_id": env_id} if env_id else {})):
            self._context.toasts.say(f"There is no runner {runner!r} in this installation.", level="bad")

    def again(self) -> None:
        """Fill the form with what the run in focus was asked for."""
        run_id = self._context.selection.focus
        if run_id is not None:
            self._context.asks.launch.emit(self.launch.runner, "", "")  # bring the form to the front
            self._fill_from(run_id)

    def _train_from(self, run_id: str, path: str) -> None:
        file = self._context.root.run(run_id).path / path  # an absolute path stays what it is
        self._fill_from(run_id, init=str(file))

    def _resume(self, run_id: str) -> None:
        self._fill_from(run_id, resume=run_id)

    def _fill_from(self, run_id: str, **basics: str) -> None:
        root = self._context.root

        def done(found: tuple[Job, str]) -> None:
            steps = None if "resume" in basics else found[0].steps  # resumed: up to where it was to end
            job = msgspec.structs.replace(found[0], kind="train", steps=steps)
            if self.launch.checkouts.get(job.runner, "") == job.checkout:
                self._fill(job, basics)
                return
            checkouts = self.launch.checkouts
            checkouts[job.runner] = job.checkout  # its algorithms are found there

            def looked(entries: list[Entry]) -> None:
                self._looked(entries)
                self._fill(job, basics)

            self._context.ops.run(lambda: work.look(root, dict(checkouts)), done=looked)

        self._context.ops.run(lambda: work.job_of(root, run_id), done=done)

    def _fill(self, job: Job, basics: Mapping[str, str]) -> None:
        if not self.launch.fill_job(job):
            self._context.toasts.say(f"There is no runner {job.runner!r} any more.", level="bad")
        for name, text in basics.items():
            self.launch.basics.set(name, text)

    # -- inside ----------------------------------------------------------------------------------

    def _looked(self, entries: list[Entry]) -> None:
        self.catalog.show(entries)
        waiting, self._when_loaded = self._when_loaded, []
        for runner, algorithm, env_id in waiting:
            self._asked(runner, algorithm, env_id)

    def _installed(self, runner_id: str, title: str) -> None:
        self._ended(runner_id)
        self._context.toasts.say(f"{title} is installed and works.", level="good")

    def _ended(self, runner_id: str, *, failed: str = "") -> None:
        self._cancelled.pop(runner_id, None)
        self.catalog.end(runner_id, failed=failed)
        self.look()

    def _memory(self) -> Memory:
        memory = self.launch.remembered
        memory.script = self.script.differing
        return memory

    def _remember(self) -> None:
        data = msgspec.json.encode(self._memory())  # a copy: typing goes on meanwhile
        root = self._context.root
        self._context.ops.run(lambda: remember(root, msgspec.json.decode(data, type=Memory)))


def _titled(job: Job, name: str, count: int) -> str:
    what = name or f"{job.algorithm or job.runner} on {job.env_id}"
    return what if count == 1 else f"{what}, {count} seeds"


def _timer(parent: QObject, wait_ms: int, call: object) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(wait_ms)
    timer.timeout.connect(call)
    return timer
