"""The daemon's wiring: locks its data root, binds the socket, turns the Trainer's wheel, stops in good order.

Holds no state of its own worth keeping: killed at any time, the next one finds everything in the run folders.
Refuses a data root that others may enter, and a second daemon on the same one. When its lock or its socket
was removed or replaced, it is no longer the one: it leaves, and touches nothing that another may have made.
"""

from __future__ import annotations

import asyncio
import logging
import logging.handlers
import os
import signal
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import grpc
import msgspec

import mosaic
from mosaic.daemon.auth import TokenInterceptor, ensure_token
from mosaic.daemon.bus import RunBus
from mosaic.daemon.publish import PublishDesk
from mosaic.daemon.service import Faults, RunNews, TrainerService
from mosaic.daemon.streams import StreamDesk
from mosaic.daemon.trainer import Trainer
from mosaic.errors import DataRootError
from mosaic.protocol.events import PROTOCOL_VERSION
from mosaic.protocol.runs import ENDED
from mosaic.runs.files import make_private, write_json
from mosaic.runs.locks import Lock, same_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from mosaic.protocol.rows import StoreSummary
    from mosaic.protocol.runs import RunRow
    from mosaic.settings import Settings

__all__ = ["DaemonInfo", "Server", "claim", "log_to"]

log = logging.getLogger("mosaic.daemon")
_NEVER_MILLIS = (1 << 31) - 1  # gRPC's word for it


class DaemonInfo(msgspec.Struct, frozen=True, kw_only=True):
    """daemon.json: who serves this data root. For people and `mosaic doctor`; liveness is the lock's."""

    pid: int
    version: str
    protocol: int
    socket: str


def claim(root: DataRoot) -> Lock:
    """Check the data root's folders and become its one daemon.

    Raises:
        DataRootError: a folder is open to others, foreign, or not writable.
        BlockingIOError: it has a daemon already.
    """
    os.umask(0o077)
    for folder in (root.path, root.daemon, root.runs, root.socket.parent):
        make_private(folder)
    return Lock(root.daemon_lock)


def log_to(root: DataRoot, *, max_bytes: int = 4 << 20, kept: int = 1) -> None:
    """Log to the data root: at most `max_bytes` a file, and `kept` older files."""
    handler = logging.handlers.RotatingFileHandler(
        root.daemon_log, maxBytes=max_bytes, backupCount=kept, encoding="utf-8"
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)


class Server:
    """One daemon. `serve` returns after a signal or a call of `Shutdown`; the runs go on.

    `lock` is the daemon's, held by the caller. `tick_secs` is how often the runs are looked at, `calm_secs`
    while none of them is about to change, `idle_secs` while none is going. What ingest says is passed on at
    once to whoever follows the list of runs, and what a run's records say; but no more often than every
    `gather_secs`. `grace_secs` is how long open calls have at the end.
    """

    def __init__(
        self,
        root: DataRoot,
        settings: Settings,
        *,
        lock: Lock,
        tick_secs: float = 0.2,
        calm_secs: float = 0.5,
        gather_secs: float = 0.05,
        idle_secs: float = 1.0,
        grace_secs: float = 0.5,
        max_streams: int = 256,
    ) -> None:
        self._root = root
        self._lock = lock
        self._socket: os.stat_result | None = None
        self._tick_secs, self._calm_secs, self._idle_secs = tick_secs, calm_secs, idle_secs
        self._gather_secs, self._grace_secs = gather_secs, grace_secs
        self._segment_bytes = settings.segment_mib << 20
        self._max_streams = max_streams
        self._trainer = Trainer(root, settings)
        self._faults = Faults()

    async def serve(self, *, on_ready: Callable[[], None]) -> None:
        """Serve until a signal or `Shutdown`. The caller holds the daemon's lock."""
        loop = asyncio.get_running_loop()
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        self._seqs: RunBus[int] = RunBus(max_subscribers=self._max_streams)
        self._changes: RunBus[RunNews] = RunBus(max_subscribers=self._max_streams)
        self._publish = PublishDesk(segment_bytes=self._segment_bytes)
        streams = StreamDesk(self._seqs)

        def on_progress(run_id: str, summary: StoreSummary) -> None:
            if len(self._seqs):  # nobody listens: no need to wake the loop
                loop.call_soon_threadsafe(self._seqs.announce, run_id, summary.store_seq)
            if len(self._changes):
                self._trainer.stirred.set()

        self._trainer.on_progress = on_progress
        token = ensure_token(self._root.token)
        _remove_stale_socket(self._root)
        service = TrainerService(
            self._root,
            self._trainer,
            changes=self._changes,
            streams=streams,
            publish=self._publish,
            faults=self._faults,
            stop=stop.set,
        )
        try:
            await asyncio.to_thread(self._trainer.start)
            server = await self._listen(service, token)
            log.info("MOSAIC %s serves %s as pid %d", mosaic.__version__, self._root.path, os.getpid())
            on_ready()
            await self._tick_until(stop)
            log.info("stopping; runs go on")
            await server.stop(self._grace_secs)
        finally:
            await self._publish.close()
            streams.close()
            service.close()
            the_one = self._lock.in_force()
            await asyncio.to_thread(self._trainer.close, write=the_one)
            if self._socket is not None and same_file(self._root.socket, self._socket):
                self._root.socket.unlink(missing_ok=True)
            if the_one:
                self._root.daemon_info.unlink(missing_ok=True)

    async def _listen(self, service: TrainerService, token: str) -> Any:
        server = grpc.aio.server(
            interceptors=[TokenInterceptor(token)],
            options=(
                ("grpc.max_receive_message_length", self._publish.max_batch_bytes),
                ("grpc.so_reuseport", 0),
                # Clients ping while a stream is silent; that is fine.
                ("grpc.http2.max_ping_strikes", 0),
                ("grpc.keepalive_permit_without_calls", 1),
                # A viewer that stands still for long is alive: of a dead one the kernel closes the socket.
                ("grpc.http2.ping_timeout_ms", _NEVER_MILLIS),
                ("grpc.keepalive_time_ms", _NEVER_MILLIS),
            ),
        )
        server.add_generic_rpc_handlers((service.handler(),))
        # Bound under a name of its own, then renamed: gRPC removes at its end whatever has the name it bound.
        bound = self._root.socket.with_name(f"s-{os.urandom(3).hex()}")
        server.add_insecure_port(f"unix:{bound}")
        await server.start()
        self._socket = bound.lstat()
        bound.rename(self._root.socket)
        info = DaemonInfo(
            pid=os.getpid(),
            version=mosaic.__version__,
            protocol=PROTOCOL_VERSION,
            socket=str(self._root.socket),
        )
        write_json(self._root.daemon_info, info)
        return server

    async def _tick_until(self, stop: asyncio.Event) -> None:
        """Look at the runs again and again, on a thread of its own: slow calls may fill the others.

        A look that finds nothing new does not wake the event loop: that would cost more than the look.
        """
        halted = threading.Event()
        with ThreadPoolExecutor(1, thread_name_prefix="tick") as pool:
            loop = asyncio.get_running_loop()
            ticking = loop.run_in_executor(pool, self._keep_ticking, loop, halted)
            stopping = asyncio.ensure_future(stop.wait())
            await asyncio.wait((stopping, ticking), return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            halted.set()
            self._trainer.stirred.set()
            await ticking

    def _keep_ticking(self, loop: asyncio.AbstractEventLoop, halted: threading.Event) -> None:
        look_at = began = 0.0
        while not halted.wait(max(0.0, began + self._gather_secs - time.monotonic())):
            self._trainer.stirred.clear()
            began = time.monotonic()
            look = began >= look_at or self._trainer.restless
            if look and self._replaced():
                return
            try:
                changed = self._trainer.tick() if look else self._trainer.hear()
                if len(self._changes):
                    self._trainer.keep_fresh()
                for row in changed:
                    if row.state in ENDED:
                        asyncio.run_coroutine_threadsafe(self._publish.end_run(row.run_id), loop).result()
                if changed:
                    loop.call_soon_threadsafe(self._tell, changed)
            except Exception as error:  # noqa: BLE001  (a failing look is a fault, not the end)
                loop.call_soon_threadsafe(self._faults.note, "tick", error)
            if look:
                look_at = began + self._pause_secs()
            self._trainer.stirred.wait(max(0.0, look_at - time.monotonic()))

    def _pause_secs(self) -> float:
        """How long until the next look at the runs, unless something stirs us."""
        if self._trainer.idle:
            return self._idle_secs
        return self._calm_secs if self._trainer.calm else self._tick_secs

    def _replaced(self) -> bool:
        """Whether this daemon is no longer the one: its lock or its socket has gone, or is another's."""
        if not self._lock.in_force():
            what = self._root.daemon_lock
        elif self._socket is None or not same_file(self._root.socket, self._socket):
            what = self._root.socket
        else:
            return False
        log.warning("%s was removed or replaced: this daemon is no longer the one, and leaves", what)
        return True

    def _tell(self, changed: list[RunRow]) -> None:
        for row in changed:
            self._changes.announce(row.run_id, (row, False))
            self._seqs.announce(row.run_id, row.store_seq)


def _remove_stale_socket(root: DataRoot) -> None:
    """Remove what a killed daemon left. Only its successor does that, holding the lock."""
    try:
        mode = root.socket.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise DataRootError(f"{root.socket} is in the way: it is not a socket. Remove it.")
    root.socket.unlink()
