"""The files and folders a policy was saved to: hashed, listed, and followed when they are renamed.

A file is hashed when it has been saved and listed at once, so a kill right after a save loses nothing of the
list. Renamed afterwards (saved under another name first, as careful scripts do), it is listed again where it
now is, with `renamed_from` in its `meta`; bytes that did not change are not hashed again. Files of more than
64 MiB are hashed beside the training, in a thread; they are listed when that is done, unless they have
changed by then. Never loads one, never writes one.
"""

from __future__ import annotations

import io
import os
import stat
import threading
import weakref
from collections import OrderedDict
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from mosaic_worker import report
from mosaic_worker.common.hashing import Hashed, hash_folder, hash_open_file
from mosaic_worker.values import text

__all__ = ["Listing", "listed_by_itself", "path_of"]

_MAX_FOLLOWED = 1024
_HASHED_AT_ONCE_BYTES = 64 << 20
_PLAIN = (io.BufferedWriter, io.BufferedRandom, io.FileIO)
"""Files whose buffer may be written out early: nobody can tell, and the bytes stay the same."""

_Identity = Tuple[int, ...]
_FOLDER: _Identity = (0,)
"""Of any folder: unlike what is noted of one, because only its files say whether it has changed."""
_quiet = threading.local()


class _Listed:
    """One checkpoint as it was last listed, or is being hashed."""

    __slots__ = ("found", "identity", "kind", "meta", "path", "step")

    def __init__(
        self, path: str, *, step: Optional[int], kind: Optional[str], meta: Optional[Dict[str, Any]]
    ) -> None:
        self.path = path
        self.step, self.kind, self.meta = step, kind, meta
        self.identity: _Identity = ()
        self.found: Optional[Hashed] = None
        """None: not hashed to the end yet."""


class _Open(NamedTuple):
    """A file that was saved to and that the script has still open: more may be written."""

    file: weakref.ref[Any]
    entry: _Listed


@contextmanager
def listed_by_itself() -> Iterator[None]:
    """In here, what this thread saves is listed by whoever saves it, and by no hook."""
    _quiet.on = True
    try:
        yield
    finally:
        _quiet.on = False


def path_of(target: Any) -> Optional[str]:
    """The absolute path of a regular file: given by its path, or open. None for everything else."""
    try:
        if isinstance(target, (str, bytes, os.PathLike)):
            path = os.path.abspath(os.fsdecode(target))
            return path if stat.S_ISREG(os.stat(path).st_mode) else None
        return _path_of_open(target)
    except (OSError, ValueError, TypeError, AttributeError):
        return None  # a stream, a closed file, a device, something in memory


def _path_of_open(file: Any) -> Optional[str]:
    fd = file.fileno()
    there = os.fstat(fd)
    if not stat.S_ISREG(there.st_mode):
        return None
    name = getattr(file, "name", None)
    named = [os.path.abspath(os.fsdecode(name))] if isinstance(name, (str, bytes)) else []
    # One opened by its descriptor (`mkstemp` and `fdopen`) bears no name; one renamed since bears the old.
    named.append(os.readlink(f"/proc/self/fd/{fd}"))
    for path in named:
        try:
            if os.path.samestat(os.stat(path), there):
                return path
        except OSError:
            continue
    return None


class Listing:
    """What was saved in this process.

    Args:
        run_dir: the run's folder; paths below it are listed relative to it.
        emit: writes an event and returns its number.
    """

    def __init__(self, run_dir: str, *, emit: Callable[[Dict[str, Any]], int]) -> None:
        self._root = os.path.realpath(run_dir) + os.sep
        self._emit = emit
        self._lock = threading.RLock()
        self._followed: OrderedDict[str, _Listed] = OrderedDict()
        self._open: List[_Open] = []
        self._hashing: Optional[threading.Thread] = None

    def add(
        self, path: Any, *, step: Optional[int], kind: Optional[str], meta: Optional[Dict[str, Any]]
    ) -> int:
        """List a file or a folder, hashed here and now. Returns the number of the event.

        Raises:
            OSError: it is not there, or it cannot be read.
        """
        entry = _Listed(os.path.abspath(os.fspath(path)), step=step, kind=kind, meta=meta)
        self._hash(entry)
        self._follow(entry)
        return self._list(entry)

    def saved(self, target: Any, *, kind: str, step: Optional[int] = None) -> None:
        """A hook saw a save to a path or to an open file. What leaves no file is not listed.

        Raises:
            OSError: it cannot be read.
        """
        self.settle()
        path = None if getattr(_quiet, "on", False) else path_of(target)
        if path is None:
            return
        entry = _Listed(path, step=step, kind=kind, meta=None)
        if not isinstance(target, (str, bytes, os.PathLike)):
            self._remember_open(target, entry)
            inner = getattr(target, "file", target)  # of a NamedTemporaryFile
            if getattr(target, "delete", False) or not isinstance(inner, _PLAIN):
                self._follow(entry)
                return  # goes when it is closed, or is compressed: what is there now says little
            inner.flush()
        self._hash_and_list(entry)

    def saved_folder(self, path: Any, *, kind: str, step: Optional[int] = None) -> None:
        """A hook saw a save that leaves a folder.

        Raises:
            OSError: it is not there, or cannot be read.
        """
        if not getattr(_quiet, "on", False):
            self.add(path, step=step, kind=kind, meta=None)

    def moved(self, source: Any, target: Any) -> None:
        """A file or a folder was renamed: list what we know of it, or of what lies in it, where it now is.

        Raises:
            OSError: it cannot be read there.
        """
        if not self._followed:
            return
        self.settle()
        old, new = _key(source), _key(target)
        renamed: List[Tuple[str, _Listed]] = []
        with self._lock:  # whoever hashes one of them finds it under its old name or its new one
            for name in [name for name in self._followed if name == old or name.startswith(old + os.sep)]:
                entry = self._followed.pop(name)
                renamed.append((entry.path, entry))
                own = name[len(old) :]
                entry.path = new + own if own else os.path.abspath(os.fsdecode(target))
                self._follow(entry)
        for before, entry in renamed:
            if entry.found is None:
                continue  # still open, or being hashed: it will be listed under the name it has then
            if entry.identity != _identity(entry.path):
                self._hash(entry)
            self._list(entry, renamed_from=before)

    def copied(self, source: Any, target: Any) -> None:
        """A file that is listed was copied (the best one so far, say): list the copy as well.

        Raises:
            OSError: it cannot be read.
        """
        known = self._followed.get(_key(source)) if self._followed else None
        if known is not None:
            path = os.path.abspath(os.fsdecode(target))
            self._hash_and_list(_Listed(path, step=known.step, kind=known.kind, meta=known.meta))

    def settle(self, *, everything: bool = False) -> None:
        """List again what was closed since, if its bytes are others now; at the end, what is open too."""
        if not self._open:
            return
        with self._lock:
            ready = [one for one in self._open if everything or _is_closed(one.file())]
            self._open = [one for one in self._open if one not in ready]
        for one in ready:
            self._list_as_closed(one.entry)

    def close(self) -> None:
        """List what is not listed yet. Waits for the file that is being hashed."""
        self.settle(everything=True)
        hashing = self._hashing
        if hashing is not None:
            hashing.join()

    def after_fork_in_child(self) -> None:
        """What the parent has open or is hashing is the parent's."""
        self._lock = threading.RLock()
        self._open, self._hashing = [], None

    def _remember_open(self, file: Any, entry: _Listed) -> None:
        listing = weakref.ref(self)
        pid = os.getpid()

        def gone(reference: weakref.ref[Any]) -> None:
            found = listing()
            if found is not None and os.getpid() == pid:
                with report.guard("checkpoints.closed"):
                    found._file_is_gone(reference)  # noqa: SLF001  (its own closure)

        with self._lock:
            self._open = [one for one in self._open if one.file() is not file]
            self._open.append(_Open(weakref.ref(file, gone), entry))

    def _file_is_gone(self, reference: weakref.ref[Any]) -> None:
        with self._lock:
            ready = [one for one in self._open if one.file is reference]
            self._open = [one for one in self._open if one.file is not reference]
        for one in ready:
            self._list_as_closed(one.entry)

    def _list_as_closed(self, entry: _Listed) -> None:
        with report.guard("checkpoints.closed"):
            try:
                if self._followed.get(_key(entry.path)) is entry and entry.identity != _identity(entry.path):
                    self._hash_and_list(entry)
            except FileNotFoundError:
                return  # a temporary file that went with its closing

    def _hash_and_list(self, entry: _Listed) -> None:
        entry.found = None
        self._follow(entry)
        busy = self._hashing is not None and self._hashing.is_alive()
        if busy or os.stat(entry.path).st_size <= _HASHED_AT_ONCE_BYTES:
            self._hash(entry)
            self._list(entry)
            return
        fd = os.open(entry.path, os.O_RDONLY | os.O_CLOEXEC)
        self._hashing = threading.Thread(target=self._hash_beside, args=(entry, fd), daemon=True)
        self._hashing.start()

    def _hash_beside(self, entry: _Listed, fd: int) -> None:
        with report.guard("checkpoints.hash"):
            try:
                before = _identity_of(os.fstat(fd))
                found = hash_open_file(fd)
                after = _identity_of(os.fstat(fd))
            finally:
                os.close(fd)
            with self._lock:
                if self._followed.get(_key(entry.path)) is not entry or before != after:
                    return  # saved again meanwhile
                try:
                    if _identity(entry.path) != after:
                        return  # another file has its name by now
                except FileNotFoundError:
                    return
                entry.found, entry.identity = found, after
                self._list(entry)

    def _hash(self, entry: _Listed) -> None:
        if os.path.isdir(entry.path):
            entry.found, entry.identity = hash_folder(entry.path), ()
            return
        fd = os.open(entry.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            entry.identity = _identity_of(os.fstat(fd))
            entry.found = hash_open_file(fd)
        finally:
            os.close(fd)

    def _follow(self, entry: _Listed) -> None:
        with self._lock:
            name = _key(entry.path)
            self._followed[name] = entry
            self._followed.move_to_end(name)
            while len(self._followed) > _MAX_FOLLOWED:
                self._followed.popitem(last=False)

    def _list(self, entry: _Listed, *, renamed_from: Optional[str] = None) -> int:
        found = entry.found
        if found is None:
            raise ValueError(f"{entry.path} is not hashed")
        event: Dict[str, Any] = {
            "type": "checkpoint",
            "path": self._shown(entry.path),
            "sha256": found.sha256,
            "bytes": found.bytes,
        }
        if entry.step is not None:
            event["step"] = int(entry.step)
        if entry.kind is not None:
            event["kind"] = entry.kind
        meta = dict(entry.meta or {})
        if found.files is not None:
            meta["files"] = found.files
        if renamed_from is not None:
            meta["renamed_from"] = self._shown(renamed_from)
        if meta:
            event["meta"] = meta
        return self._emit(event)

    def _shown(self, path: str) -> str:
        """Relative when it lies in the run's folder: that one may be moved."""
        inside = os.path.realpath(path)
        return text(inside[len(self._root) :] if inside.startswith(self._root) else path)


def _key(path: Any) -> str:
    """One name for a file however its folder is spelt. The file itself need not be there any more."""
    folder, name = os.path.split(os.path.abspath(os.fsdecode(path)))
    return os.path.join(os.path.realpath(folder), name)


def _is_closed(file: Any) -> bool:
    return file is None or bool(getattr(file, "closed", False))


def _identity(path: str) -> _Identity:
    info = os.stat(path)
    return _FOLDER if stat.S_ISDIR(info.st_mode) else _identity_of(info)


def _identity_of(info: os.stat_result) -> _Identity:
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns
