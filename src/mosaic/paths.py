"""Where things lie on disk. Names only: nothing here opens, creates or checks a file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

__all__ = ["DataRoot", "RunFolder", "data_root"]

_SOCKET_PATH_LIMIT = 100  # sun_path holds 108 bytes; leave room for gRPC's prefix


@dataclass(frozen=True)
class RunFolder:
    """The files of one run. The folder can be moved and copied: nothing in it says where it lies.

    Each name is made once: ingest asks for a dozen of them ten times a second.
    """

    path: Path

    @property
    def run_id(self) -> str:
        """The run's id: the folder's name."""
        return self.path.name

    @cached_property
    def manifest(self) -> Path:
        """The spec and the history of states."""
        return self.path / "manifest.json"

    @cached_property
    def journal(self) -> Path:
        """The folder of segments: `<producer>-<nnnn>.jsonl`, sealed to `.jsonl.zst`."""
        return self.path / "journal"

    @cached_property
    def order(self) -> Path:
        """Which episode has which index; written by ingest alone."""
        return self.path / "journal" / "episodes.order"

    @cached_property
    def stdout(self) -> Path:
        """The worker's standard output; JSON lines in it are events."""
        return self.path / "stdout.log"

    @cached_property
    def stderr(self) -> Path:
        """The worker's standard error."""
        return self.path / "stderr.log"

    @cached_property
    def shim_lock(self) -> Path:
        """Held by the shim for as long as it lives."""
        return self.path / "shim.lock"

    @cached_property
    def tree_lock(self) -> Path:
        """Held by the worker and what it forks."""
        return self.path / "tree.lock"

    @cached_property
    def control(self) -> Path:
        """The daemon's standing order to the shim."""
        return self.path / "control.json"

    @cached_property
    def proc(self) -> Path:
        """What the shim started."""
        return self.path / "proc.json"

    @cached_property
    def exit(self) -> Path:
        """How the worker ended."""
        return self.path / "exit.json"

    @cached_property
    def synced(self) -> Path:
        """When the shim last made the journal durable: its modification time."""
        return self.path / "synced"

    @cached_property
    def fresh(self) -> Path:
        """Until when somebody wants the store to follow closely: its modification time."""
        return self.path / "fresh"

    @cached_property
    def stored(self) -> Path:
        """Up to when all that was acknowledged is in the store: its modification time."""
        return self.path / "stored"

    @cached_property
    def store(self) -> Path:
        """The index made from the journal."""
        return self.path / "telemetry.sqlite"

    @cached_property
    def quarantine(self) -> Path:
        """Every line that was not an event."""
        return self.path / "quarantine.jsonl"


@dataclass(frozen=True)
class DataRoot:
    """The one folder MOSAIC owns: 0700, everything in it 0600 or 0700."""

    path: Path

    @property
    def runs(self) -> Path:
        """One folder per run."""
        return self.path / "runs"

    def run(self, run_id: str) -> RunFolder:
        """The folder of one run."""
        return RunFolder(self.runs / run_id)

    @property
    def registry(self) -> Path:
        """The list of runs; rebuilt from the manifests."""
        return self.path / "registry.sqlite"

    @property
    def settings(self) -> Path:
        """The user's settings."""
        return self.path / "settings.toml"

    @property
    def worker_site(self) -> Path:
        """Copies of `mosaic_worker` that workers put on their path, one per content hash."""
        return self.path / "worker"

    @property
    def envs(self) -> Path:
        """Runners' virtual environments, one per runner and set of pins."""
        return self.path / "envs"

    @property
    def branches(self) -> Path:
        """What branches that have not started yet are to do; each is gone once its run has read it."""
        return self.path / "branches"

    @property
    def trust(self) -> Path:
        """Whose bytes may be loaded: hashes that were trusted, and the runs that were started here."""
        return self.path / "trust"

    @property
    def daemon(self) -> Path:
        """The daemon's own files."""
        return self.path / "daemon"

    @property
    def daemon_lock(self) -> Path:
        """Held by the one daemon of this data root."""
        return self.daemon / "daemon.lock"

    @property
    def daemon_info(self) -> Path:
        """The daemon's pid, version and socket."""
        return self.daemon / "daemon.json"

    @property
    def daemon_log(self) -> Path:
        """What the daemon and ingest have to say."""
        return self.daemon / "daemon.log"

    @property
    def token(self) -> Path:
        """The secret every call carries."""
        return self.daemon / "token"

    @property
    def socket(self) -> Path:
        """The daemon's socket: beside its lock, or in a short private folder when that path is too long."""
        beside = self.daemon / "daemon.sock"
        if len(os.fsencode(beside)) <= _SOCKET_PATH_LIMIT:
            return beside
        import hashlib  # noqa: PLC0415  (rarely needed, slow to load)

        digest = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:12]
        return Path(f"/tmp/mosaic-{os.getuid()}-{digest}/daemon.sock")  # noqa: S108  (made 0700, ownership checked)


def data_root() -> DataRoot:
    """The data root in force: `MOSAIC_HOME`, else the platform's folder for user data."""
    home = os.environ.get("MOSAIC_HOME")
    if home:
        return DataRoot(Path(home).expanduser().absolute())
    import platformdirs  # noqa: PLC0415  (slow to load)

    return DataRoot(Path(platformdirs.user_data_dir("mosaic")))
