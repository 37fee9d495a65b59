"""The settings: one frozen struct, read from `settings.toml` and `MOSAIC_*` variables."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any, get_origin

import msgspec

from mosaic.errors import UsageError
from mosaic.protocol.ready import ready

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mosaic.paths import DataRoot

__all__ = ["Settings", "load", "parsed_toml"]

_QUOTAS_MIB = range(1, (1 << 40) + 1)
_CHECKOUT = re.compile(r"(.+)_checkout")


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that can be set. Defaults are meant to be right."""

    max_running: int = max(1, os.cpu_count() or 1)
    """Runs that train at the same time; more wait in the queue."""
    disk_reserve_mib: int = 1024
    """Below this much free space runs are paused, and resumed when there is a tenth more again."""
    stop_int_secs: float = 3.0
    """How long a stopped worker has after SIGINT."""
    stop_term_secs: float = 3.0
    """How long it then has after SIGTERM, before SIGKILL."""
    obs_inline_bytes: int = 1024
    """Observations up to this size are recorded whole, larger ones as checksum and shape."""
    segment_mib: int = 8
    """Size of one journal segment."""
    render_inject: bool = True
    """Show environments that were made without a render mode, when somebody watches."""
    seal_journals: bool = True
    """Compress journal segments once they are in the store and synced."""
    stdout_quota_mib: int = 256
    """How much of what a run writes to its standard output is kept; the oldest goes first."""
    stderr_quota_mib: int = 256
    """The same for its standard error."""
    quarantine_quota_mib: int = 256
    """How large quarantine.jsonl grows; lines beyond that are only counted."""
    envs_dir: str = ""
    """Where runners' environments are built; empty: `envs` in the data root."""
    checkouts: dict[str, str] = {}
    """Folders in which runners find their algorithms, by runner."""
    runner_python: dict[str, str] = {}
    """Interpreters to use instead of a runner's own environment, by runner."""

    def with_checkout(self, runner_id: str, folder: str) -> Settings:
        """The same with another folder for that runner's algorithms; an empty one changes nothing."""
        if not folder:
            return self
        return msgspec.structs.replace(self, checkouts={**self.checkouts, runner_id: folder})


def load(root: DataRoot, *, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings in force: environment over file over defaults.

    Raises:
        UsageError: the file or a variable holds something that is not a setting.
    """
    values = (
        _with_checkouts(parsed_toml(root.settings.read_text(), root.settings))
        if root.settings.exists()
        else {}
    )
    for name, said in _with_checkouts(_read_variables(os.environ if environ is None else environ)).items():
        held = values.get(name)
        values[name] = {**held, **said} if isinstance(said, dict) and isinstance(held, dict) else said
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"{root.settings} or a MOSAIC_ variable: {error}") from error
    if settings.max_running < 1 or settings.segment_mib < 1:
        raise UsageError(f"max_running and segment_mib must be at least 1; see {root.settings}")
    for name in ("stdout_quota_mib", "stderr_quota_mib", "quarantine_quota_mib"):
        if getattr(settings, name) not in _QUOTAS_MIB:
            raise UsageError(f"{name} must be from 1 to {_QUOTAS_MIB[-1]}; see {root.settings}")
    return settings


def _read_variables(environ: Mapping[str, str]) -> dict[str, Any]:
    """The settings among the variables, by name; tables as tables."""
    found: dict[str, Any] = {}
    for field in msgspec.structs.fields(Settings):
        raw = environ.get(f"MOSAIC_{field.name.upper()}")
        if raw is not None:
            found[field.name] = _pairs(raw) if get_origin(field.type) is dict else raw
    for name, raw in environ.items():
        if name.startswith("MOSAIC_") and name.endswith("_CHECKOUT"):
            found[name.removeprefix("MOSAIC_").lower()] = raw
    return found


def _with_checkouts(values: dict[str, Any]) -> dict[str, Any]:
    """The same with `NAME_checkout`, as that setting was called once, as an entry of `checkouts`."""
    old = {match[1]: name for name in values if (match := _CHECKOUT.fullmatch(name))}
    kept = {name: value for name, value in values.items() if name not in old.values()}
    table = kept.get("checkouts", {})
    if old and isinstance(table, dict):
        kept["checkouts"] = {**{runner: values[name] for runner, name in old.items()}, **table}
    return kept


def _pairs(text: str) -> dict[str, str]:
    """A table in a variable: `one=/path/python,other=/its/python`."""
    return {
        key.strip(): value.strip()
        for key, _, value in (part.partition("=") for part in text.split(",") if part)
    }


def parsed_toml(text: str, path: object) -> dict[str, Any]:
    """The TOML in a text that lies in a file.

    Raises:
        UsageError: it is not TOML; says in which line.
    """
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415  (3.11+)
    else:
        import tomli as tomllib  # noqa: PLC0415  (3.10)
    try:
        values: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}") from error
    return values


ready(Settings)
