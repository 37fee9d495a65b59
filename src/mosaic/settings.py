"""The settings: one frozen struct, read from `settings.toml` and `MOSAIC_*` variables."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.errors import UsageError
from mosaic.protocol.ready import ready

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mosaic.paths import DataRoot

__all__ = ["Settings", "load"]


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
    envs_dir: str = ""
    """Where runners' environments are built; empty: `envs` in the data root."""
    cleanrl_checkout: str = ""
    """The checkout whose single-file scripts the runner `cleanrl` offers."""
    runner_python: dict[str, str] = {}
    """Interpreters to use instead of a runner's own environment, by runner."""


def load(root: DataRoot, *, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings in force: environment over file over defaults.

    Raises:
        UsageError: the file or a variable holds something that is not a setting.
    """
    values: dict[str, Any] = {}
    if root.settings.exists():
        values.update(_read_toml(root))
    for field in msgspec.structs.fields(Settings):
        raw = (os.environ if environ is None else environ).get(f"MOSAIC_{field.name.upper()}")
        if raw is not None:
            values[field.name] = _pairs(raw) if field.name == "runner_python" else raw
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"{root.settings} or a MOSAIC_ variable: {error}") from error
    if settings.max_running < 1 or settings.segment_mib < 1:
        raise UsageError(f"max_running and segment_mib must be at least 1; see {root.settings}")
    return settings


def _pairs(text: str) -> dict[str, str]:
    """A table in a variable: `sb3=/path/python,sbx=/other/python`."""
    return {
        key.strip(): value.strip()
        for key, _, value in (part.partition("=") for part in text.split(",") if part)
    }


def _read_toml(root: DataRoot) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415  (3.11+)
    else:
        import tomli as tomllib  # noqa: PLC0415  (3.10)
    try:
        values: dict[str, Any] = tomllib.loads(root.settings.read_text())
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{root.settings} is not TOML: {error}") from error
    return values


ready(Settings)
