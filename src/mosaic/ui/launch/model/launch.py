"""What would be launched: runner, algorithm, what is typed, and whether it can work. Qt-free; starts nothing.

Every algorithm keeps what was typed for it, and every runner whether it trains or uses what was trained:
going to another and back loses nothing. A preflight that answers for what was typed before is passed over.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.errors import UsageError
from mosaic.protocol.cards import COMMAND_RUNNER, Algorithm, Job
from mosaic.runners.parameters import env_arguments
from mosaic.ui.launch.model.basics import basics_form
from mosaic.ui.launch.model.form import Form, text_of
from mosaic.ui.launch.model.memory import Draft, Memory, Page
from mosaic.ui.shell.model.signal import Signal
from mosaic_worker.common.literals import ENV_PREFIX, literal
from mosaic_worker.common.words import asked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mosaic.app.training import Plan
    from mosaic.protocol.cards import Check, Parameter
    from mosaic.ui.launch.model.catalog import Catalog, Entry

__all__ = ["SCRIPT", "Launch"]

SCRIPT = COMMAND_RUNNER
"""The runner of plain commands has a form of its own."""
_BEGINNINGS = ("init", "resume")
"""Where a training begins is not copied from one job to the next: a copy starts from the beginning."""


class Launch:
    """The launch form, for any runner.

    Args:
        catalog: what can be launched.
        convert: text to value, for one parameter of a card; raises `UsageError` with the reason.
        memory: what was typed another time; kept up to date by `remembered`.
    """

    def __init__(
        self, catalog: Catalog, *, convert: Callable[[Parameter, str], Any], memory: Memory | None = None
    ) -> None:
        self.picked: Signal[[]] = Signal()
        """Another runner, algorithm or page is shown."""
        self.changed: Signal[[]] = Signal()
        """What would be launched changed: the preflight must look again."""
        self.checked: Signal[[]] = Signal()
        """The preflight, or whether a launch is under way, stands otherwise."""
        self.catalog = catalog
        self.basics = Form((), convert=convert)
        self.parameters = Form((), convert=convert)
        self.checks: list[Check] = []
        self.command: list[str] = []
        self.plan: Plan | None = None
        """What the preflight looked at, exactly as it is typed now: this is what a launch submits."""
        self.check_failed = ""
        self.checking = False
        self.launching = False
        self.problem = ""
        """Why the last launch was refused; kept until something changes."""
        self._convert = convert
        self._memory = memory if memory is not None else Memory()
        self._runner = ""
        self._algorithm = ""
        self._asked = 0
        self._shown: tuple[str, str] | None = None
        self._opened: Algorithm | None = None
        catalog.changed.connect(self._catalog_changed)

    # -- what is chosen ----------------------------------------------------------------------------

    @property
    def entry(self) -> Entry | None:
        """The chosen runner."""
        return self.catalog.get(self._runner)

    @property
    def runner(self) -> str:
        """The chosen runner's id; empty when none is."""
        return self._runner

    @property
    def algorithm(self) -> Algorithm | None:
        """The chosen algorithm."""
        return self.catalog.algorithm(self._runner, self._algorithm)

    @property
    def page(self) -> Page:
        """Train new, or use trained: as this runner was left."""
        return self._memory.pages.get(self._runner, "train") if self.offers_trained else "train"

    @property
    def offers_trained(self) -> bool:
        """Whether the runner can play what it trained."""
        entry = self.entry
        return entry is not None and entry.card is not None and entry.card.capabilities.supports_eval

    @property
    def is_script(self) -> bool:
        """Whether a plain command is what would be launched."""
        return self._runner == SCRIPT

    def pick(self, runner_id: str, algorithm_id: str = "") -> None:
        """Show a runner and an algorithm of it; without one, that which was chosen last, else the first."""
        entry = self.catalog.get(runner_id)
        if entry is None:
            return
        offered = [one.id for one in (entry.card.algorithms if entry.card is not None else [])]
        wanted = algorithm_id or self._memory.algorithms.get(runner_id, "")
        chosen = wanted if wanted in offered else (offered[0] if offered else "")
        if (runner_id, chosen) == (self._runner, self._algorithm) and self._shown == (runner_id, chosen):
            return
        self._keep()
        self._runner, self._algorithm = runner_id, chosen
        self._memory.runner = runner_id
        if chosen:
            self._memory.algorithms[runner_id] = chosen
        self._open()

    def show(self, page: Page) -> None:
        """Train new, or use trained."""
        if page != self.page:
            self._memory.pages[self._runner] = page
            self.picked.emit()
            self._touch()

    # -- what is typed -----------------------------------------------------------------------------

    def fill(self, runner_id: str, algorithm_id: str = "", **basics: str) -> bool:
        """Open the form of a training with these fields filled in; False when there is no such runner."""
        if self.catalog.get(runner_id) is None:
            return False
        self.pick(runner_id, algorithm_id)
        self.show("train")
        for name, text in basics.items():
            self.basics.set(name, text)
        return True

    def offer(self, runner_id: str, algorithm_id: str) -> bool:
        """Show what this runner has trained; False when there is none, or it cannot play."""
        if self.catalog.get(runner_id) is None:
            return False
        self.pick(runner_id, algorithm_id)
        self.show("trained")
        return self.page == "trained"

    def fill_job(self, job: Job, *, name: str = "") -> bool:
        """Open the form with all that another job said; False when there is no such runner."""
        if not self.fill(job.runner, job.algorithm):
            return False
        said = {field.name: getattr(job, field.name) for field in asked("form")}
        self.basics.restore(
            {
                **{key: str(said[key]) for key in said if said[key] is not None and key not in _BEGINNINGS},
                "seeds": "" if job.seed is None else str(job.seed),
                "name": name,
                "env_arguments": shlex.join(
                    f"{key}={_literal(value)}" for key, value in env_arguments(job.parameters).items()
                ),
                "arguments": shlex.join(job.arguments),
            }
        )
        self.parameters.restore({key: text_of(value) for key, value in job.parameters.items()})
        return True

    @property
    def seeds(self) -> list[int]:
        """The seeds that are typed; none when they are not seeds."""
        try:
            found = self.basics.value("seeds") if "seeds" in self.basics else []
        except UsageError:
            return []
        return list(found)

    def job(self) -> Job:
        """What is typed, as a job; with several seeds, that of the first.

        Raises:
            UsageError: something typed cannot be taken; says which field and why.
        """
        entry = self.entry
        if entry is None:
            raise UsageError("choose what to train with first")
        problem = self.form_problem
        if problem:
            raise UsageError(problem)
        values = {name: self.basics.value(name) for name in self.basics.names}
        seeds = values.get("seeds") or [None]
        resume = values.get("resume") or None
        up_to_its_end = resume is not None and not self.basics.is_changed("steps")
        said = {field.name: _said(values.get(field.name), field.default) for field in asked("form")}
        said |= {"seed": seeds[0], **({"steps": None} if up_to_its_end else {})}
        return Job(
            runner=self._runner,
            algorithm=self._algorithm,
            parameters={**self.parameters.values(), **_for_env(values.get("env_arguments", {}))},
            arguments=values.get("arguments", []),
            checkout=self.checkouts.get(self._runner, "") if entry.discovers else "",
            **said,
        )

    @property
    def note(self) -> str:
        """What is worth knowing about what is typed, in a sentence; mostly nothing."""
        count = len(self.seeds)
        if self.basics.text("resume").strip():
            if self.basics.is_changed("steps"):
                return "Resumes that run for this many more steps."
            return "Resumes that run up to the steps it was to make. Change the steps to add that many."
        return f"{count} runs, one per seed, in one group." if count > 1 else ""

    @property
    def form_problem(self) -> str:
        """The first thing typed that cannot be taken, and why; empty when all can."""
        for form in (self.basics, self.parameters):
            for name, problem in form.problems.items():
                label = form.field(name).label
                return problem if problem.startswith(label) else f"{label}: {problem}"
        return ""

    # -- whether it can work -----------------------------------------------------------------------

    def ask(self) -> tuple[int, Job] | None:
        """What the preflight is to look at, with a number for the answer; None when that is nothing."""
        entry = self.entry
        if entry is None or entry.state != "ready" or self.is_script or self.page != "train":
            return None
        try:
            job = self.job()
        except UsageError:
            return None
        return self._asked, job

    def preview(self, number: int, command: list[str]) -> None:
        """The command as it will be; an outdated answer is passed over."""
        if number == self._asked:
            self.command = command
            self.checked.emit()

    def answer(
        self,
        number: int,
        *,
        plan: Plan | None = None,
        failed: str = "",
    ) -> None:
        """What the preflight found, or why it could not look; an outdated answer is passed over."""
        if number != self._asked:
            return
        self.plan = plan
        self.checks = [] if plan is None else plan.checks
        self.command = self.command if plan is None else plan.command
        self.check_failed = failed
        self.checking = False
        self.checked.emit()

    @property
    def unready(self) -> str:
        """Why the chosen runner cannot be used now; empty when it can."""
        entry = self.entry
        if entry is None:
            return "Choose what to train with." if self.catalog.loaded else "Looking for runners…"
        if entry.state == "broken":
            return f"{entry.title} is broken: {entry.text}"
        if self.catalog.badge(entry.id)[0] == "installing":
            return f"{entry.title} is being installed."
        if entry.state == "missing":
            return f"{entry.title} is not installed yet: install it above."
        if entry.discovers and self.algorithm is None:
            return f"{entry.title}: name the folder of your checkout above."
        return "Starting…" if self.launching else ""

    @property
    def blocked(self) -> str:
        """Why a launch would not work now; empty when it would."""
        return self.unready or self.form_problem or self._check_problem()

    def launch_began(self) -> None:
        """A launch is under way: there is no second one meanwhile."""
        self.launching, self.problem = True, ""
        self.checked.emit()

    def launch_ended(self, *, problem: str = "") -> None:
        """It was started, or refused for this reason. What is typed stays."""
        self.launching, self.problem = False, problem
        self.checked.emit()

    # -- what is remembered ------------------------------------------------------------------------

    @property
    def remembered(self) -> Memory:
        """Everything typed, to be kept for the next start."""
        self._keep()
        return self._memory

    @property
    def checkouts(self) -> dict[str, str]:
        """The folders in which runners find their algorithms, by runner."""
        return self._memory.checkouts

    def evaluation(self) -> dict[str, str]:
        """What is typed under use trained, for this runner."""
        return self._memory.evaluations.setdefault(self._runner, {})

    def script(self) -> dict[str, str]:
        """What is typed for a command of the user's own."""
        return self._memory.script

    # -- inside ------------------------------------------------------------------------------------

    def _check_problem(self) -> str:
        if self.check_failed:
            return f"The check could not be made: {self.check_failed}"
        if self.checking:
            return "Checking whether this can work…"
        failed = next((check for check in self.checks if check.level == "fail"), None)
        return "" if failed is None else f"{failed.name}: {failed.text}"

    def _key(self) -> str:
        return f"{self._runner}/{self._algorithm}"

    def _keep(self) -> None:
        if self._shown is not None:
            draft = Draft(basics=self.basics.differing, parameters=self.parameters.differing)
            self._memory.drafts["/".join(self._shown)] = draft

    def _open(self) -> None:
        """New forms for the chosen algorithm, filled with what was typed in them before."""
        entry, algorithm = self.entry, self.algorithm
        card = entry.card if entry is not None else None
        self._shown = (self._runner, self._algorithm)
        self._opened = algorithm
        draft = self._memory.drafts.get(self._key(), Draft())
        self.basics = Form((), convert=self._convert)
        self.parameters = Form((), convert=self._convert)
        if card is not None and not self.is_script:
            self.basics = basics_form(card, algorithm or Algorithm(id=""), convert=self._convert)
            self.parameters = Form(
                algorithm.parameters if algorithm is not None else (), convert=self._convert
            )
            _fill(self.basics, draft.basics)
            _fill(self.parameters, draft.parameters)
        for form in (self.basics, self.parameters):
            form.changed.connect(lambda _: self._touch())
        self.picked.emit()
        self._touch()

    def _touch(self) -> None:
        self._asked += 1
        self.plan = None  # of what was typed before
        self.problem = self.check_failed = ""
        self.checking = self.ask() is not None
        if not self.checking:
            self.checks, self.command = [], []
        self.changed.emit()
        self.checked.emit()

    def _catalog_changed(self) -> None:
        if self._runner and self.entry is not None:
            card = self.entry.card
            offered = [one.id for one in card.algorithms] if card is not None else []
            if self._algorithm in offered or (not offered and not self._algorithm):
                if self.algorithm != self._opened:  # the same name, another card: the fields are others
                    self._keep()
                    self._open()
                else:
                    self._touch()
                return
        wanted = self._memory.runner if self.catalog.get(self._memory.runner) is not None else ""
        ready = [entry for entry in self.catalog.entries if entry.state == "ready"]
        first = wanted or next((entry.id for entry in ready if _needs_nothing(entry)), "")
        first = first or (ready[0].id if ready else "")
        if first:
            self._shown = None if self.entry is None else self._shown
            self.pick(first)


def _needs_nothing(entry: Entry) -> bool:
    """Whether it trains without any package that is not there: what is shown at the very first start."""
    return entry.card is not None and bool(entry.card.algorithms) and not entry.card.requirements


def _said(value: Any, otherwise: Any) -> Any:
    """What is typed in a field; for one that is empty or not in the form, what a job says by itself."""
    return otherwise if value is None or value == "" else value


def _fill(form: Form, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        form.set(name, text)


def _for_env(arguments: Mapping[str, str]) -> dict[str, Any]:
    return {f"{ENV_PREFIX}{key}": literal(value) for key, value in arguments.items()}


def _literal(value: object) -> str:
    """An argument of an environment as it is typed."""
    return msgspec.json.encode(value).decode() if isinstance(value, list | dict) else text_of(value)
