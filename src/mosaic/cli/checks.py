"""The checks of `mosaic doctor`: each looks at one thing and says how to put it right. Changes nothing."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mosaic import __version__
from mosaic.errors import MosaicError
from mosaic.settings import Settings, load
from mosaic.text import size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mosaic.paths import DataRoot

__all__ = ["Check", "run_checks"]

_OLDEST_PYTHON = (3, 10)
_WAL_RESET_FIX = (3, 51, 3)
_SUN_PATH = 107
_SHM_NEED = 64 << 20
_NEEDED = (
    "apsw",
    "click",
    "grpcio",
    "msgspec",
    "numpy",
    "platformdirs",
    "protobuf",
    "python-ulid",
    "zstandard",
)
_EXTRAS = {"pyarrow": "parquet", "tensorboard": "tensorboard", "gymnasium": "envs"}


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """What one look found: `status` is ok, warn or fail; `fix` is the command that puts it right."""

    name: str
    status: str
    text: str
    fix: str = ""


def run_checks(root: DataRoot) -> list[Check]:
    """Look at everything."""
    return [
        _python(),
        _packages(),
        _extras(),
        _sqlite(),
        _settings(root),
        _disk(root),
        _permissions(root),
        _socket(root),
        _shared_memory(),
        _git(),
        _daemon(root),
    ]


def _check(name: str, good: bool, text: str, fix: str = "", *, otherwise: str = "fail") -> Check:
    return Check(name=name, status="ok" if good else otherwise, text=text, fix="" if good else fix)


def _python() -> Check:
    machine = f"{platform.system()} {platform.machine()}"
    text = f"Python {platform.python_version()} on {machine}, MOSAIC {__version__}"
    if sys.platform != "linux":
        return _check("python", False, f"{text}: only Linux is tested", otherwise="warn")
    return _check("python", sys.version_info >= _OLDEST_PYTHON, text, "install Python 3.10 or newer")


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _packages() -> Check:
    found = {package: _version(package) for package in _NEEDED}
    missing = [package for package, version in found.items() if version is None]
    if missing:
        text = f"missing: {', '.join(missing)}"
        return _check("packages", False, text, f"{sys.executable} -m pip install {' '.join(missing)}")
    return _check("packages", True, ", ".join(f"{package} {version}" for package, version in found.items()))


def _extras() -> Check:
    parts = []
    for package, extra in _EXTRAS.items():
        version = _version(package)
        parts.append(
            f"{package} {version}" if version else f'no {package} (pip install "mosaic-workbench[{extra}]")'
        )
    return _check("extras", True, ", ".join(parts))


def _sqlite() -> Check:
    from mosaic.store.build import sqlite_version

    version = sqlite_version()
    numbers = tuple(int(part) for part in version.split(".")[:3])
    text = f"SQLite {version}"
    if numbers < _WAL_RESET_FIX:
        text += " lacks the WAL-reset fix of 3.51.3: a store could be damaged"
    fix = f'{sys.executable} -m pip install --upgrade "apsw>=3.51.3"'
    return _check("sqlite", numbers >= _WAL_RESET_FIX, text, fix)


def _settings(root: DataRoot) -> Check:
    try:
        load(root)
    except (MosaicError, OSError) as error:
        return _check("settings", False, str(error), f"correct {root.settings}, or remove it")
    there = str(root.settings) if root.settings.exists() else "defaults"
    return _check("settings", True, there)


def _disk(root: DataRoot) -> Check:
    try:
        reserve = load(root).disk_reserve_mib << 20
    except (MosaicError, OSError):
        reserve = Settings().disk_reserve_mib << 20
    free = shutil.disk_usage(_nearest(root.path)).free
    text = f"{size(free)} free, {size(reserve)} kept in reserve (runs pause below it)"
    fix = "make room, move MOSAIC_HOME to a larger disk, or lower disk_reserve_mib in settings.toml"
    if free <= reserve:
        return _check("disk", False, text, fix)
    return _check("disk", free > 2 * reserve, text, fix, otherwise="warn")


def _nearest(path: Path) -> Path:
    while not path.exists():
        path = path.parent
    return path


def _permissions(root: DataRoot) -> Check:
    path = root.path
    if not path.exists():
        return _check(
            "data root", os.access(_nearest(path), os.W_OK), f"{path} will be made when it is needed",
            "set MOSAIC_HOME to a folder you can write to",
        )  # fmt: skip
    if path.lstat().st_uid != os.getuid():
        return _check(
            "data root", False, f"{path} belongs to uid {path.lstat().st_uid}", "set MOSAIC_HOME elsewhere"
        )
    if not os.access(path, os.W_OK | os.X_OK):
        return _check("data root", False, f"{path} is not writable", f"chmod u+rwx {path}")
    wrong, looked = [], 0
    for entry, info in _walk(path):
        looked += 1
        if info.st_mode & 0o077 and not stat.S_ISLNK(info.st_mode):
            wrong.append(f"{entry} ({stat.S_IMODE(info.st_mode):04o})")
    if wrong:
        more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        text = f"open to other accounts: {', '.join(wrong[:3])}{more}"
        return _check("data root", False, text, f"chmod -R go-rwx {path}")
    return _check("data root", True, f"{path} and the {looked - 1} files and folders in it are yours alone")


def _walk(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    yield path, path.lstat()
    for folder, folders, files in os.walk(path):
        if folder == str(path) and "envs" in folders:
            folders.remove("envs")  # packages, with the modes they came with; nobody else gets in here anyway
        for name in (*folders, *files):
            entry = Path(folder, name)
            with suppress(FileNotFoundError):  # the daemon removed it meanwhile
                yield entry, entry.lstat()


def _socket(root: DataRoot) -> Check:
    socket = root.socket
    length = len(os.fsencode(socket))
    if length > _SUN_PATH:
        return _check(
            "socket", False, f"{socket} is {length} bytes long", "set MOSAIC_HOME to a shorter path"
        )
    folder = socket.parent
    if folder.exists():
        info = folder.lstat()
        if info.st_uid != os.getuid() or info.st_mode & 0o077 or not stat.S_ISDIR(info.st_mode):
            return _check("socket", False, f"{folder} is not yours alone", f"rm -r {folder}")
    return _check("socket", True, f"{socket} ({length} bytes of at most {_SUN_PATH})")


def _shared_memory() -> Check:
    folder = Path("/dev/shm")  # noqa: S108  (the kernel's own)
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return _check(
            "shared memory", False, f"{folder} is not there or not writable: live frames will not work",
            f"mount -t tmpfs tmpfs {folder}", otherwise="warn",
        )  # fmt: skip
    free = shutil.disk_usage(folder).free
    text = f"{folder}: {size(free)} free"
    return _check(
        "shared memory", free >= _SHM_NEED, text, f"mount -o remount,size=512M {folder}", otherwise="warn"
    )


def _git() -> Check:
    git = shutil.which("git")
    if git is None:
        return _check(
            "git", False, "no git: a script's commit cannot be noted", "install git", otherwise="warn"
        )
    return _check("git", True, git)


def _daemon(root: DataRoot) -> Check:
    from mosaic.rpc.launch import connect, daemon_running

    if not daemon_running(root):
        return _check("daemon", True, "not running; it starts when it is needed")
    try:
        with connect(root, start=False, same_version=False, wait_secs=5) as client:
            status = client.status()
    except MosaicError as error:
        return _check("daemon", False, str(error), f"kill {_pid_of(root)}")
    if status.version != __version__:
        text = f"pid {status.pid} is MOSAIC {status.version}, this is {__version__}"
        return _check("daemon", False, text, "mosaic daemon stop")
    if status.faults:
        text = f"pid {status.pid} met {status.faults} faults, the last: {status.last_fault}"
        return _check("daemon", False, text, f"look into {root.daemon_log}", otherwise="warn")
    return _check("daemon", True, f"pid {status.pid}, {sum(status.runs.values())} runs known")


def _pid_of(root: DataRoot) -> str:
    try:
        info = msgspec.json.decode(root.daemon_info.read_bytes())
        return str(info["pid"])
    except (OSError, msgspec.DecodeError, KeyError, TypeError):
        return f"the daemon whose lock is {root.daemon_lock}"
