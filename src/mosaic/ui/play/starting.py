"""What happens when somebody uses the forms of sessions: checks after a pause, starts, remembers.

The models decide; this obeys, off the window's thread, and brings the answers back. At most one check of each
form is under way: what changes meanwhile is checked when it is done. Secrets that were typed are not kept.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, QTimer

from mosaic.app import playing, training
from mosaic.app.reading import daemon
from mosaic.app.submitting import secrets_here
from mosaic.errors import DataRootError
from mosaic.operators import own, registry
from mosaic.runners.parameters import convert
from mosaic.runs.files import make_private, read_json, write_json
from mosaic.ui.play.model.setup import OperatorEntry, Setup
from mosaic_worker.common import redact

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.app.training import Plan
    from mosaic.paths import DataRoot
    from mosaic.ui.play.model.setup import Who
    from mosaic.ui.shell.context import Context

__all__ = ["Starting", "memory_file", "operators"]

_log = logging.getLogger(__name__)


class _Memory(msgspec.Struct, kw_only=True, omit_defaults=True):
    human: dict[str, str] = {}
    hybrid: dict[str, str] = {}


def memory_file(root: DataRoot) -> Path:
    """Where what was typed is kept."""
    return root.path / "desktop" / "play.json"


def operators() -> list[OperatorEntry]:
    """Every kind of operator as it stands, trained policies among them. Loads none of them."""
    found = [
        OperatorEntry(id=one.id, card=one.operator.card if one.operator is not None else None,
                      problem=one.problem)
        for one in registry.listed()
    ]  # fmt: skip
    if all(one.id != own.CHECKPOINT.card.id for one in found):
        found.append(OperatorEntry(id=own.CHECKPOINT.card.id, card=own.CHECKPOINT.card))
    return found


class Starting(QObject):
    """Carries out what the forms of sessions ask for.

    Args:
        context: the window's.
        pause_ms: how long nothing must change before it is checked.
        keep_ms: how long nothing must change before what is typed is written down.
    """

    def __init__(self, context: Context, *, pause_ms: int = 500, keep_ms: int = 1000) -> None:
        super().__init__()
        self._context = context
        memory = _recall(context.root)
        self.setups: dict[Who, Setup] = {
            "human": Setup("human", convert=convert, kept=memory.human),
            "hybrid": Setup("hybrid", convert=convert, kept=memory.hybrid),
        }
        self._checking: set[Who] = set()
        self._shown: Who | None = None
        self._pause = QTimer(self, singleShot=True, interval=pause_ms)
        self._pause.timeout.connect(self._check)
        self._keep = QTimer(self, singleShot=True, interval=keep_ms)
        self._keep.timeout.connect(self._remember)
        for setup in self.setups.values():
            setup.changed.connect(self._changed)

    def look(self) -> None:
        """See which operators there are."""
        self._context.ops.run(operators, done=self._looked)

    def show(self, who: Who | None) -> None:
        """This form is looked at: what it says is checked; the others wait."""
        self._shown = who
        if who is not None and not self.setups[who].operators:
            self.look()
        self._changed()

    def start(self, who: Who) -> None:
        """Start the session that was checked. Without one nothing happens; why is said beside the button."""
        setup, root = self.setups[who], self._context.root
        plan, asked = setup.plan, setup.ask()
        if plan is None or asked is None or setup.blocked:
            return
        name = asked[1].name
        setup.begin()
        self._context.ops.run(
            lambda: training.submit(root, training.accept(plan), name=name),
            done=lambda run_id: self._started(setup, run_id),
            failed=lambda why: setup.end(problem=why),
        )

    def close(self) -> None:
        """The window goes: write down what is typed."""
        self._pause.stop()
        if self._keep.isActive():
            self._keep.stop()
            _remember(self._context.root, self._memory())

    # -- inside ------------------------------------------------------------------------------------

    def _looked(self, found: list[OperatorEntry]) -> None:
        for setup in self.setups.values():
            setup.offer(found)

    def _changed(self) -> None:
        self._keep.start()
        if self._shown is not None and self.setups[self._shown].checking:
            self._pause.start()

    def _check(self) -> None:
        who = self._shown
        asked = self.setups[who].ask() if who is not None else None
        if who is None or asked is None or who in self._checking:
            return
        number, wanted = asked
        root, setup = self._context.root, self.setups[who]
        self._checking.add(who)

        def done(plan: Plan) -> None:
            setup.answer(number, plan=plan)
            self._checked(who)

        def failed(why: str) -> None:
            setup.answer(number, failed=why)
            self._checked(who)

        self._context.ops.run(
            lambda: playing.plan(root, wanted.env_id, wanted.seats, **wanted.asked),
            done=done,
            failed=failed,
        )

    def _checked(self, who: Who) -> None:
        self._checking.discard(who)
        if self.setups[who].checking:  # what is typed changed meanwhile
            self._pause.start()

    def _started(self, setup: Setup, run_id: str) -> None:
        setup.end()
        context = self._context
        context.selection.choose([run_id], focus=run_id)
        context.asks.watch.emit(run_id)
        context.toasts.say(
            f"Playing {setup.basics.text('env_id')}",
            level="good",
            action="Stop",
            act=lambda: self._stop(run_id),
            secs=10.0,
        )

    def _stop(self, run_id: str) -> None:
        root = self._context.root

        def work() -> None:
            with daemon(root) as client:
                client.stop(run_id)

        self._context.ops.run(work)

    def _memory(self) -> _Memory:
        return _Memory(human=self.setups["human"].kept, hybrid=self.setups["hybrid"].kept)

    def _remember(self) -> None:
        root, memory = self._context.root, self._memory()
        self._context.ops.run(lambda: _remember(root, memory))


def _recall(root: DataRoot) -> _Memory:
    try:
        return read_json(memory_file(root), _Memory) or _Memory()
    except (OSError, msgspec.DecodeError) as error:
        _log.warning("what the forms of sessions remembered cannot be read: %s", error)
        return _Memory()


def _remember(root: DataRoot, memory: _Memory) -> None:
    file = memory_file(root)
    try:
        make_private(root.path)
        make_private(file.parent)
        plain = redact.hide_values(msgspec.to_builtins(memory), secrets_here())
        write_json(file, msgspec.convert(plain, _Memory), synced=False)
    except (OSError, DataRootError) as error:
        _log.warning("what the forms of sessions hold cannot be remembered: %s", error)
