"""Helpers of the streams' tests: a run that is fed by hand, and a reader that reads by hand."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mosaic.daemon.appender import SegmentAppender
from mosaic.daemon.bus import RunBus
from mosaic.daemon.streams import StreamDesk
from mosaic.paths import RunFolder
from mosaic.rpc.pb import trainer_pb2 as pb
from mosaic.store.ingest import RunIngest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

__all__ = ["Reader", "Run", "play", "rewards"]

PRODUCER = "p1x00000000"


class Run:
    """A run that is fed by hand: its journal, and the ingest that stores it."""

    def __init__(self, path: Path) -> None:
        self.folder = RunFolder(path)
        path.mkdir(mode=0o700)
        self._journal = SegmentAppender(self.folder.journal, PRODUCER, segment_bytes=64 << 20)
        self._ingest = RunIngest(self.folder)
        self._seq = 0
        self.complete = False
        self.write({"type": "hello", "protocol": 1, "producer": PRODUCER})

    def write(self, *events: dict[str, Any]) -> None:
        """Append events to the journal and have them stored."""
        lines = []
        for event in events:
            lines.append(json.dumps({**event, "seq": self._seq}).encode() + b"\n")
            self._seq += 1
        self._journal.append(b"".join(lines))
        turn = self._ingest.turn()
        while turn.more:
            turn = self._ingest.turn()

    def steps(self, first: int, count: int, *, episode: str = "e", size: int = 0) -> None:
        """Append steps of one episode; each knows its number by its reward."""
        self.write(
            *(
                {
                    "type": "step",
                    "episode_id": episode,
                    "step": n,
                    "action": "x" * size,
                    "reward": float(n),
                    "t": 1.0,
                }
                for n in range(first, first + count)
            )
        )

    def close(self) -> None:
        self._ingest.close()
        self._journal.close()


class Reader:
    """One stream of a desk, read by hand."""

    def __init__(self, desk: StreamDesk, run: Run, name: str = "StreamRunSteps", **opening: Any) -> None:
        self._grants: asyncio.Queue[Any] = asyncio.Queue()
        self._batches: asyncio.Queue[Any] = asyncio.Queue()
        self.sent = 0
        self.task = asyncio.ensure_future(
            self._serve(desk, run, name, pb.ReadRequest(**{"credits": 1, **opening}))
        )

    async def _serve(self, desk: StreamDesk, run: Run, name: str, opening: Any) -> None:
        async def requests() -> AsyncIterator[Any]:
            while (grant := await self._grants.get()) is not None:
                yield grant

        async def send(batch: Any) -> None:
            self.sent += 1
            self._batches.put_nowait(batch)

        async def is_complete() -> bool:
            return run.complete

        try:
            await desk.serve(
                name, run.folder, opening, requests=requests(), send=send, is_complete=is_complete
            )
        finally:
            self._batches.put_nowait(None)

    def grant(self, credits: int) -> None:
        self._grants.put_nowait(pb.ReadRequest(credits=credits))

    def leave(self) -> None:
        """Send no more requests."""
        self._grants.put_nowait(None)

    async def next(self, *, grant: int = 1) -> Any:
        """The next batch; None at the end."""
        batch = await asyncio.wait_for(self._batches.get(), 30)
        if batch is not None and grant:
            self.grant(grant)
        return batch

    async def all(self) -> list[Any]:
        """Every batch until the stream ends."""
        found = []
        while (batch := await self.next()) is not None:
            found.append(batch)
        await self.task
        return found


def play(scene: Any, **limits: Any) -> None:
    """Play a scene with a desk of its own."""

    async def whole() -> None:
        bus: RunBus[int] = RunBus()
        desk = StreamDesk(bus, **{"idle_secs": 0.01, **limits})
        try:
            await scene(desk)
        finally:
            desk.close()
        assert len(bus) == 0

    asyncio.run(whole())


def rewards(batches: list[Any]) -> list[float]:
    return [row.reward for batch in batches for row in batch.rows]
