"""The runners and algorithms there are, whether each is ready, and what is being installed. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mosaic.protocol.cards import COMMAND_RUNNER
from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mosaic.protocol.cards import Algorithm, RunnerCard

__all__ = ["Badge", "Catalog", "Entry", "Install"]

Badge = Literal["ready", "missing", "broken", "installing"]

_BADGES: dict[Badge, str] = {
    "ready": "ready",
    "missing": "not installed",
    "broken": "broken",
    "installing": "installing…",
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One runner as the catalog shows it."""

    id: str
    card: RunnerCard | None
    state: Literal["ready", "missing", "broken"]
    text: str = ""
    """How it stands, in a sentence."""
    remedy: str = ""
    """What to do about it."""
    discovers: bool = False
    """Whether its algorithms are found in a folder of the user's."""
    folder_problem: str = ""
    """Why the folder that was named holds none."""

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.card.title if self.card is not None else self.id

    @property
    def size(self) -> str:
        """What installing it takes, to be put behind a name; empty when nobody knows."""
        if self.card is None or not self.card.requirements:
            return ""
        return " (1 GB or more: it brings PyTorch)" if self.card.torch else " (some hundred MB)"


@dataclass(frozen=True, kw_only=True)
class Install:
    """An installation under way, or how the last one failed."""

    text: str = ""
    fraction: float | None = None
    """0 to 1; None while nobody knows."""
    failed: str = ""


class Catalog:
    """What can be launched. Filled by `show`, from whatever looked at the runners."""

    def __init__(self) -> None:
        self.changed: Signal[[]] = Signal()
        """Entries came, went, or stand otherwise."""
        self.progressed: Signal[[str]] = Signal()
        """An installation went on or ended; carries the runner."""
        self.loaded = False
        self._entries: dict[str, Entry] = {}
        self._installs: dict[str, Install] = {}

    @property
    def entries(self) -> list[Entry]:
        """Every runner: those that can be used first, then by title; plain commands come last."""
        order = {"ready": 0, "missing": 1, "broken": 2}
        return sorted(
            self._entries.values(),
            key=lambda entry: (entry.id == COMMAND_RUNNER, order[entry.state], entry.title.lower()),
        )

    def get(self, runner_id: str) -> Entry | None:
        """One runner, if there is such a one."""
        return self._entries.get(runner_id)

    def algorithm(self, runner_id: str, algorithm_id: str) -> Algorithm | None:
        """One algorithm, if there is such a one."""
        entry = self._entries.get(runner_id)
        found = entry.card.algorithms if entry is not None and entry.card is not None else []
        return next((one for one in found if one.id == algorithm_id), None)

    def show(self, entries: Iterable[Entry]) -> None:
        """Take in what was found; replaces all that was there. Says so when anything differs."""
        found = {entry.id: entry for entry in entries}
        if not self.loaded or found != self._entries:
            self._entries = found
            self.loaded = True
            self.changed.emit()

    def badge(self, runner_id: str) -> tuple[Badge, str]:
        """How a runner stands, as a word to decide by and one to show."""
        entry = self._entries[runner_id]
        install = self._installs.get(runner_id)
        badge: Badge = "installing" if install is not None and not install.failed else entry.state
        return badge, _BADGES[badge]

    def matching(self, text: str) -> list[tuple[Entry, list[Algorithm]]]:
        """The runners and those of their algorithms in which every typed word occurs."""
        words = text.lower().split()
        found = []
        for entry in self.entries:
            algorithms = entry.card.algorithms if entry.card is not None else []
            about = f"{entry.id} {entry.title} {entry.card.help if entry.card is not None else ''}".lower()
            kept = [
                one
                for one in algorithms
                if _all_in(words, f"{about} {one.id} {one.title} {one.help}".lower())
            ]
            if kept or _all_in(words, about):
                found.append((entry, kept))
        return found

    # -- installing --------------------------------------------------------------------------------

    def install(self, runner_id: str) -> Install | None:
        """The installation of a runner, or how the last one failed; None when there is neither."""
        return self._installs.get(runner_id)

    @property
    def installing(self) -> bool:
        """Whether an installation is under way: one at a time, they share the machine and the network."""
        return any(not install.failed for install in self._installs.values())

    def begin(self, runner_id: str) -> bool:
        """An installation starts; False when one is already under way."""
        if self.installing or runner_id not in self._entries:
            return False
        self._installs[runner_id] = Install(text="Starting…")
        self._moved(runner_id)
        return True

    def progress(self, runner_id: str, text: str, fraction: float | None) -> None:
        """What is done now, and how far it is; empty or None: as it was."""
        before = self._installs.get(runner_id)
        if before is not None and not before.failed and (text or fraction is not None):
            far = before.fraction if fraction is None else fraction
            self._installs[runner_id] = Install(text=text or before.text, fraction=far)
            self.progressed.emit(runner_id)

    def end(self, runner_id: str, *, failed: str = "") -> None:
        """It ended, well or for this reason. How the runner stands then, `show` says."""
        self._installs.pop(runner_id, None)
        if failed:
            self._installs[runner_id] = Install(failed=failed)
        self._moved(runner_id)

    def _moved(self, runner_id: str) -> None:
        self.progressed.emit(runner_id)
        self.changed.emit()


def _all_in(words: list[str], text: str) -> bool:
    return all(word in text for word in words)
