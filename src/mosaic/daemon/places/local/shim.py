"""The shim: a tiny process that starts a worker, keeps its whole process tree, and records how it ended.

Run by path as `python -I -S shim.py RUN_DIR [LOCK_FD [GRACE_SECS [WORDS_FD]]]`. Standard library only, and
everything is loaded at its start: so it is small, and lives through the daemon's death, upgrade or removal.
It obeys `control.json` and refuses everything else: no signal of a hung-up terminal, no guess about an exit
code, no socket. The worker's environment is its own, and the worker's command is read from WORDS_FD: both are
in memory only, because they may hold secrets. Without WORDS_FD it starts the manifest's command. What goes
wrong in here, an import at its start too, is left in the run's folder as shim.log. What lies in the folder is
not trusted: whatever is put in the place of a record, the worker is kept, stopped when asked, and its end
recorded.
"""

# ruff: noqa: PTH100, PTH123, E402
# (no pathlib: it would cost more memory than all the rest; a failing import must find its log ready)

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

LOG = "shim.log"
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
_RECORD_BYTES = 16 << 20  # as in mosaic.runs.files
_LONGEST_RUNG_SECS = 31536000.0  # a year, as in mosaic.protocol.runs


def _leave_word(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    import traceback  # noqa: PLC0415  (memory that a shim in good order does without)

    # Not by `opening`, which may be what cannot be imported.
    flags = _NEW_FILE | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    with open(os.open(f"{sys.argv[1]}/{LOG}", flags, 0o600), "w", encoding="utf-8") as file:
        traceback.print_exception(kind, error, trace, file=file)


if __name__ == "__main__":  # by path, isolated: nothing but the standard library is importable yet
    _up = os.path.dirname
    sys.excepthook = _leave_word
    sys.path.append(_up(_up(_up(_up(_up(os.path.abspath(__file__)))))))  # where mosaic and mosaic_worker lie

from mosaic.daemon.places.local.processes import Process, boot_id, children, descendants, look, send
from mosaic.daemon.places.local.syncer import Syncer
from mosaic_worker.common import ofd
from mosaic_worker.common.opening import BadFileError, open_folder, open_regular, read_whole, rename_over

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

__all__ = ["LOG", "Shim", "main"]

_PR_SET_CHILD_SUBREAPER = 36
_WANTS = ("hold", "run", "pause", "stop")  # what is none of these is no order
_TREE_FD_AT_LEAST = 100  # out of the way of scripts that open descriptor 3 and up themselves
_EXIT_RESERVE_BYTES = 4096
_IGNORED = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGPIPE", "SIGXFSZ")


class Shim:
    """One run's keeper. `run` returns when nothing of the run is left."""

    def __init__(
        self,
        run_dir: str,
        *,
        lock_fd: int = -1,
        words_fd: int = -1,
        grace_secs: float = 10.0,
        kill_secs: float = 3.0,
        poll_secs: float = 0.1,
        keep_secs: float = 0.25,
        sync_secs: float = 0.2,
    ) -> None:
        self._folder = open_folder(run_dir)
        self._lock = lock_fd if lock_fd >= 0 else self._take("shim.lock")
        os.set_inheritable(self._lock, False)
        self._words: list[str] | None = None
        if words_fd >= 0:
            with open(words_fd, "rb") as file:
                self._words = json.loads(file.read())
        self._grace_secs, self._kill_secs = grace_secs, kill_secs
        self._poll_secs, self._keep_secs, self._sync_secs = poll_secs, keep_secs, sync_secs
        self._syncer = Syncer(self._folder)
        self._order: dict[str, Any] = {"want": "hold"}
        self._order_data = b""
        self._order_seen: tuple[int, int, int] | None = None
        self._order_again = True
        self._proc: dict[str, Any] = {"shim_pid": os.getpid(), "boot_id": boot_id()}
        self._proc["lock_inode"] = os.fstat(self._lock).st_ino
        me = look(os.getpid())
        if me is not None:
            self._proc["shim_start_ticks"] = me.start_ticks
        self._proc_written = False
        self._worker = 0
        self._status: int | None = None
        self._alone = False

    def run(self) -> None:
        """Keep the run from its time in the queue to the end of its last process."""
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        for name in _IGNORED:
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        self._reserve_exit()
        self._record_proc()
        while self._read_order() in ("hold", "pause"):
            self._wait(self._poll_secs)
            self._record_proc()
        if self._order["want"] == "stop":
            self._record_exit({"stop_asked": True})
            return
        error = self._start()
        if error is not None:
            self._record_exit({"error": error})
            return
        done = threading.Event()
        threading.Thread(target=self._keep_syncing, args=(done,), daemon=True).start()
        try:
            self._keep()
        finally:
            done.set()

    def _take(self, name: str) -> int:
        fd = open_regular(name, os.O_RDWR | os.O_CREAT, dir_fd=self._folder)
        ofd.take(fd)
        return fd

    # -- the worker's life -------------------------------------------------------------------------------

    def _start(self) -> str | None:
        """Start the worker; what went wrong in plain words otherwise."""
        try:
            spec = json.loads(self._read("manifest.json"))["spec"]
            command, cwd = [str(word) for word in self._words or spec["command"]], str(spec["cwd"])
            command[0]
        except (ValueError, LookupError, TypeError, RecursionError):
            return "manifest.json cannot be read: it does not say what to run"
        try:
            os.chdir(cwd)
        except OSError as error:
            return f"cannot enter the folder {cwd}: {error.strerror}"
        mask = os.environ.pop("MOSAIC_UMASK", "")
        if mask and not mask.strip("01234567"):
            os.umask(int(mask, 8) & 0o777)  # the caller's; what we make ourselves names its mode
        opened: list[int] = []
        try:
            opened.append(self._take("tree.lock"))
            opened.extend(self._open_log(name) for name in ("stdout.log", "stderr.log"))
        except OSError as error:
            for fd in opened:
                os.close(fd)
            os.chdir("/")
            return f"cannot start {command[0]}: {error.filename}: {error.strerror}"
        tree, out, err = opened
        null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        inherited = fcntl.fcntl(tree, fcntl.F_DUPFD, _TREE_FD_AT_LEAST)
        try:
            self._worker = os.posix_spawnp(
                command[0],
                command,
                os.environ,
                file_actions=[(os.POSIX_SPAWN_DUP2, fd, to) for to, fd in enumerate((null, out, err))],
                setsid=True,
                setsigmask=[],
                setsigdef=[getattr(signal, name) for name in _IGNORED],
            )
        except (OSError, ValueError) as error:
            return _why_not(command[0], error)
        finally:
            # SYNC: from here only the worker and what it forks hold the lock, so it tells of them alone.
            for fd in (tree, inherited, out, err, null):
                os.close(fd)
            os.chdir("/")
        found = look(self._worker)
        self._proc.update(worker_pid=self._worker, started=time.time())
        if found is not None:
            self._proc["worker_start_ticks"] = found.start_ticks
        self._proc_written = False
        self._record_proc()
        return None

    def _open_log(self, name: str) -> int:
        fd = open_regular(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, dir_fd=self._folder)
        os.set_blocking(fd, True)  # the worker inherits it as it is
        return fd

    def _keep(self) -> None:
        while not self._reap():
            want = self._read_order()
            if want == "stop":
                self._stop()
                return
            if (want == "pause") != bool(self._proc.get("paused")):
                self._pause(paused=want == "pause")
            self._record_proc()
            self._wait(self._keep_secs)  # the worker's end wakes us; an order may wait this long
        ended = self._ended()
        self._record_exit(ended)
        if self._proc.get("paused"):
            self._signal_all(signal.SIGCONT)
        self._clear_leftovers(ended)

    def _clear_leftovers(self, ended: dict[str, Any]) -> None:
        """What outlives its worker has the grace time to end by itself."""
        deadline = time.monotonic() + self._grace_secs
        while not self._childless():
            if time.monotonic() >= deadline or self._read_order() == "stop":
                break
            self._wait(self._poll_secs)
        else:
            return
        left = descendants(os.getpid())
        self._signal_all(signal.SIGTERM)
        if not self._wait_childless(self._rung_secs("term_secs")):
            self._kill_all()
        self._record_exit({**ended, "leftovers": [f"{p.name} ({p.pid})" for p in left]})

    def _stop(self) -> None:
        """The ladder: SIGINT to the group as from a keyboard, SIGTERM to all, SIGKILL to all."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._worker, signal.SIGINT)
        self._signal_all(signal.SIGCONT)  # after the SIGINT: a paused worker wakes up to it
        if not self._wait_childless(self._rung_secs("int_secs")):
            self._signal_all(signal.SIGTERM)
            if not self._wait_childless(self._rung_secs("term_secs")):
                self._kill_all()
        self._record_exit({**self._ended(), "stop_asked": True})

    def _rung_secs(self, name: str) -> float:
        """How long a rung of the ladder is, whatever somebody wrote into the order."""
        try:
            said = float(self._order.get(name, 3.0))
        except (TypeError, ValueError, OverflowError):
            return 3.0
        return min(max(0.0, said), _LONGEST_RUNG_SECS)

    def _kill_all(self) -> None:
        """SIGKILL until nothing is left. What the kernel does not let go is reported while we go on."""
        deadline = time.monotonic() + self._kill_secs
        while not self._childless():
            self._freeze()
            left = descendants(os.getpid())
            for process in left:
                send(process, signal.SIGKILL)
            if left and time.monotonic() >= deadline and not self._proc.get("unkillable"):
                self._proc["unkillable"] = [f"{p.name} ({p.pid})" for p in left]
                self._proc_written = False
            self._record_proc()
            self._wait(0.02)

    def _freeze(self) -> None:
        """Stop every process, and what was forked meanwhile, until a look finds nothing new."""
        done: set[Process] = set()
        while True:
            for process in children(os.getpid()):  # at once: one that forks and exits is our child by now
                send(process, signal.SIGSTOP)
            new = set(descendants(os.getpid())) - done
            if not new:
                return
            for process in new:
                send(process, signal.SIGSTOP)
            done |= new

    def _pause(self, *, paused: bool) -> None:
        if paused:
            self._freeze()
        else:
            self._signal_all(signal.SIGCONT)
        self._proc["paused"], self._proc_written = paused, False

    def _signal_all(self, number: int) -> None:
        for process in descendants(os.getpid()):
            send(process, number)

    def _wait_childless(self, timeout_secs: float) -> bool:
        deadline = time.monotonic() + timeout_secs
        while not self._childless():
            if time.monotonic() >= deadline:
                return False
            self._wait(0.02)
        return True

    def _childless(self) -> bool:
        """Whether nothing of the run is left.

        The kernel's word, not a look at /proc, which can miss one: whatever loses its parent becomes our
        child, so without a child there is no descendant.
        """
        self._reap()
        return self._alone

    def _reap(self) -> bool:
        """Collect what ended; whether the worker has."""
        while not self._alone:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self._alone = True
                break
            if pid == 0:
                break
            if pid == self._worker:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status is not None

    def _wait(self, timeout_secs: float) -> None:
        signal.sigtimedwait({signal.SIGCHLD}, timeout_secs)

    # -- the run's folder --------------------------------------------------------------------------------

    def _keep_syncing(self, done: threading.Event) -> None:
        while not done.wait(self._sync_secs):
            self._syncer.sync()

    def _read_order(self) -> str:
        """The standing order; an unreadable one leaves the last in force. One stat while nothing changes."""
        try:
            info = os.stat("control.json", dir_fd=self._folder, follow_symlinks=False)
            seen = (info.st_ino, info.st_mtime_ns, info.st_size)
        except OSError:
            seen = None  # gone for a moment
        if seen != self._order_seen or self._order_again:
            # Once more at the next look: an order given within the same tick of the clock leaves no other
            # trace.
            self._order_again = seen != self._order_seen
            self._order_seen = seen
            data = self._read("control.json")
            if data != self._order_data:
                try:
                    order = json.loads(data)
                except (ValueError, RecursionError):
                    order = None  # torn
                if isinstance(order, dict) and order.get("want", "hold") in _WANTS:
                    self._order, self._order_data = {"want": "hold", **order}, data
                else:
                    self._order_again = True
        return str(self._order["want"])

    def _record_proc(self) -> None:
        """Say what runs; on a full disk this stays undone until there is room, and the run goes on."""
        if not self._proc_written:
            try:
                self._replace("proc.json", ".proc.json.tmp", self._proc, synced=False)
            except OSError:
                return
            self._proc_written = True

    def _ended(self) -> dict[str, Any]:
        status = self._status
        if status is None:
            return {}
        how = {"signal": -status} if status < 0 else {"code": status}
        return {**how, "t": time.time()}

    def _record_exit(self, ended: Mapping[str, Any]) -> None:
        """The last word. Repeated until the disk takes it; only a folder that is gone excuses us."""
        record = {"code": None, "signal": None, "t": time.time(), "stop_asked": False, **ended}
        while True:
            self._syncer.sync()
            try:
                self._replace("exit.json", ".exit.json.reserve", record, synced=True)
            except OSError as error:
                if error.errno == errno.ENOENT:
                    return
                self._wait(0.5)
                self._reap()
            else:
                return

    def _reserve_exit(self) -> None:
        """Take the room for exit.json now, so that a full disk cannot hide how the worker ended."""
        try:
            fd = self._open_own(".exit.json.reserve", _NEW_FILE)
        except OSError:
            return
        try:
            os.posix_fallocate(fd, 0, _EXIT_RESERVE_BYTES)
        except OSError:
            pass
        finally:
            os.close(fd)

    def _replace(self, name: str, temporary: str, record: Mapping[str, Any], *, synced: bool) -> None:
        data = json.dumps(record, indent=2).encode() + b"\n"
        fd = self._open_own(temporary, os.O_WRONLY | os.O_CREAT)
        try:
            if os.pwrite(fd, data, 0) != len(data):
                raise OSError(errno.ENOSPC, "short write")
            os.ftruncate(fd, len(data))
            if synced:
                os.fdatasync(fd)
        finally:
            os.close(fd)
        rename_over(temporary, name, dir_fd=self._folder)
        if synced:
            os.fsync(self._folder)

    def _open_own(self, name: str, flags: int) -> int:
        """A file whose name is ours alone: whatever else has it is put out of the way."""
        try:
            return open_regular(name, flags, dir_fd=self._folder)
        except BadFileError:
            aside = f"{name}.aside-{os.urandom(4).hex()}"
            os.rename(name, aside, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            return open_regular(name, flags, dir_fd=self._folder)

    def _read(self, name: str) -> bytes:
        try:
            return read_whole(name, at_most_bytes=_RECORD_BYTES, dir_fd=self._folder)
        except OSError:
            return b""


def _why_not(command: str, error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number == errno.ENOENT:
        return f"command not found: {command} (or the interpreter in its #! line)"
    if number in (errno.EACCES, errno.EPERM):
        return f"not executable: {command}. Make it so with: chmod +x {command}"
    if number == errno.ENOEXEC:
        return f"not a program: {command} has no #! line. Name its interpreter, for example: sh {command}"
    return f"cannot start {command}: {error}"


def main(argv: list[str]) -> None:
    """Keep the run of `argv[1]`."""
    given = dict(zip(("lock_fd", "grace_secs", "words_fd"), argv[2:], strict=False))
    Shim(
        argv[1],
        lock_fd=int(given.get("lock_fd", -1)),
        grace_secs=float(given.get("grace_secs", 10.0)),
        words_fd=int(given.get("words_fd", -1)),
    ).run()


if __name__ == "__main__":
    main(sys.argv)
