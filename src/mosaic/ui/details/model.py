"""Everything there is to say about one run, in groups of lines. Time is an argument; reads nothing. Qt-free.

Text from workers and users is made visible (`mosaic.text.visible`) here, once, before it is shown.
"""

from __future__ import annotations

import shlex
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mosaic import text
from mosaic.protocol.configs import flat
from mosaic.protocol.rows import NUMBERS
from mosaic.ui.shell.model.numbers import clock
from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from mosaic.paths import RunFolder
    from mosaic.protocol.events import Config
    from mosaic.protocol.rows import StoreSummary
    from mosaic.protocol.runs import Manifest, RunRow

__all__ = ["Details", "Facts", "Field", "Section", "sections"]

_SETTING_CELLS = 200
_KINDS = {"train": "training", "eval": "evaluation", "play": "decisions", "session": "session"}


@dataclass(frozen=True)
class Field:
    """One line: what, and how it stands. `copy` offers a button that takes all of it along."""

    label: str
    text: str
    copy: str = ""


@dataclass(frozen=True)
class Section:
    """Lines that belong together."""

    title: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a run's files say beside its row; nothing when they are not read yet, or gone."""

    manifest: Manifest | None = None
    summary: StoreSummary | None = None
    config: Config | None = None


class Details:
    """What was read of one run. `changed` when there is something else to say."""

    def __init__(self) -> None:
        self.changed: Signal[[]] = Signal()
        self.run_id: str | None = None
        self.facts = Facts()
        self.problem = ""

    def turn_to(self, run_id: str | None) -> None:
        """Speak of another run, of which nothing is read yet."""
        self.run_id, self.facts, self.problem = run_id, Facts(), ""
        self.changed.emit()

    def take(self, facts: Facts) -> None:
        """Take in what was read."""
        self.facts, self.problem = facts, ""
        self.changed.emit()

    def fail(self, why: str) -> None:
        """It could not be read; it will be tried again."""
        self.problem = why
        self.changed.emit()


def sections(
    row: RunRow,
    *,
    folder: RunFolder,
    facts: Facts | None = None,
    parent_name: str = "",
    now: float,
) -> list[Section]:
    """All about a run; without facts, what the listing knows."""
    facts = facts or Facts()
    manifest, summary, config = facts.manifest, facts.summary, facts.config
    found = [
        Section("Run", _run(row, folder=folder, parent_name=parent_name)),
        Section("Setup", _setup(row, manifest)),
        Section("Settings", _settings(manifest)),
        Section("Configuration", _configuration(config)),
        Section("Time", _time(row, now=now)),
        Section("Recorded", _recorded(row, summary)),
        Section("Provenance", _provenance(manifest)),
        Section("Warnings", _warnings(row, summary)),
        Section("History", _history(manifest)),
    ]
    return [section for section in found if section.fields]


def _run(row: RunRow, *, folder: RunFolder, parent_name: str) -> tuple[Field, ...]:
    fields = [
        Field("State", f"{row.state.value}: {text.visible(row.reason)}" if row.reason else row.state.value),
        Field("Name", text.visible(row.name) or "-"),
        Field("Id", row.run_id, copy=row.run_id),
        Field("Command", text.visible(shlex.join(row.command)), copy=shlex.join(row.command)),
        Field("Folder", text.visible(str(folder.path)), copy=str(folder.path)),
    ]
    if row.tags:
        fields.append(
            Field("Tags", text.visible(", ".join(f"{key}={value}" for key, value in row.tags.items())))
        )
    if row.group:
        fields.append(Field("Group", text.visible(row.group)))
    if row.parent:
        known = f"{text.visible(parent_name)} ({row.parent})" if parent_name else row.parent
        fields.append(Field("Comes from", text.visible(known)))
    return tuple(fields)


def _setup(row: RunRow, manifest: Manifest | None) -> tuple[Field, ...]:
    job = manifest.spec.job if manifest is not None else None
    fields = [Field("Runner", text.visible(row.runner))]
    if job is not None:
        fields.append(Field("Kind", _KINDS[job.kind]))
    fields += [
        Field("Algorithm", text.visible(row.algorithm) or "-"),
        Field("Environment", text.visible(", ".join(row.env_ids)) or "-"),
    ]
    if job is not None:
        fields.append(Field("Seed", "-" if job.seed is None else str(job.seed)))
        fields += [Field("Steps asked for", text.count(job.steps))] if job.steps is not None else []
        fields += [Field("Environments", str(job.envs))] if job.envs > 1 else []
        for label, path in (
            ("Starts from", job.init),
            ("Resumes", job.resume),
            ("Plays", job.checkpoint),
        ):
            fields += [Field(label, text.visible(path), copy=path)] if path else []
    return tuple(fields)


def _settings(manifest: Manifest | None) -> tuple[Field, ...]:
    job = manifest.spec.job if manifest is not None else None
    if job is None:
        return ()
    fields = [
        Field(text.visible(name), text.visible(str(value))) for name, value in sorted(job.parameters.items())
    ]
    if job.arguments:
        fields.append(Field("More arguments", text.visible(shlex.join(job.arguments))))
    return tuple(fields) or (Field("Parameters", "all as the algorithm has them by default"),)


def _configuration(config: Config | None) -> tuple[Field, ...]:
    """What the worker itself reported: the hyperparameters of scripts that know nothing of us, too."""
    told = {} if config is None else flat(config)
    return tuple(
        Field(text.visible(name), text.fit(text.visible(value), _SETTING_CELLS))
        for name, value in told.items()
    )


def _time(row: RunRow, *, now: float) -> tuple[Field, ...]:
    fields = [
        Field("Created", f"{clock(row.created)} ({text.age(row.created, now=now)})"),
        Field("Started", clock(row.started)),
    ]
    if row.ended is not None:
        fields.append(Field("Ended", clock(row.ended)))
    if row.started is not None:
        fields.append(
            Field("Took", text.span(max(0.0, (row.ended if row.ended is not None else now) - row.started)))
        )
    return tuple(fields)


def _recorded(row: RunRow, summary: StoreSummary | None) -> tuple[Field, ...]:
    fields = [
        Field(one.title, text.amount(getattr(row, one.name), rate=one.is_rate))
        for one in NUMBERS
        if one.name not in ("quarantined", "warned")  # warnings, when there are any
    ]
    if summary is not None:
        fields.append(Field("Checkpoints", text.count(summary.checkpoints)))
        fields += [Field("Lost", f"{text.count(summary.holes)} events")] if summary.holes else []
        fields += [Field("Unknown", f"{text.count(summary.unknown)} events, kept")] if summary.unknown else []
    return tuple(fields)


def _provenance(manifest: Manifest | None) -> tuple[Field, ...]:
    if manifest is None:
        return ()
    fields = [
        Field("Started in", text.visible(manifest.spec.cwd), copy=manifest.spec.cwd),
        Field("Machine", text.visible(manifest.host) or "-"),
        Field("MOSAIC", text.visible(manifest.mosaic_version) or "-"),
    ]
    script = manifest.script
    if script is not None:
        fields.append(Field("Script", text.visible(script.path), copy=script.path))
        fields.append(Field("SHA-256", f"{script.sha256[:16]}…", copy=script.sha256))
        if script.git_commit:
            changed = ", with changes not committed" if script.git_dirty else ""
            fields.append(Field("Git commit", f"{script.git_commit[:12]}{changed}", copy=script.git_commit))
    return tuple(fields)


def _warnings(row: RunRow, summary: StoreSummary | None) -> tuple[Field, ...]:
    fields = [Field("", text.visible(one)) for one in (summary.warnings if summary is not None else ())]
    if row.quarantined:
        lines = "line was not an event" if row.quarantined == 1 else "lines were not events"
        fields.append(Field("", f"{text.count(row.quarantined)} {lines}: see quarantine.jsonl"))
    ended = row.exit
    if ended is not None:
        if ended.error:
            fields.append(Field("", text.visible(ended.error)))
        if ended.signal is not None:
            fields.append(Field("", f"It was ended by signal {_signal(ended.signal)}"))
        elif ended.code:
            fields.append(Field("", f"It ended with exit code {ended.code}"))
        if ended.leftovers:
            fields.append(Field("", f"Left over: {text.visible(', '.join(ended.leftovers))}"))
    return tuple(fields)


def _signal(number: int) -> str:
    try:
        return f"{number} ({signal.Signals(number).name})"
    except ValueError:
        return str(number)


def _history(manifest: Manifest | None) -> tuple[Field, ...]:
    if manifest is None:
        return ()
    return tuple(
        Field("", f"{clock(change.t)}  {change.state.value}: {text.visible(change.reason)}")
        for change in manifest.history
    )
