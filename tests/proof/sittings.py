"""Sessions under kills: a real one with its operator, people's clients and a witness, and what must be left.

Judges by accounts that are kept outside the run: what the operator proposed (`tests/workers/decides.py`),
what each person did (`tests/workers/plays.py`), and what the session told the witness, who only looks.
"""

from __future__ import annotations

import json
import random
import select
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import psutil

from mosaic.app import branching, playing, reading
from mosaic.app.hands import Hands
from mosaic.errors import UsageError
from mosaic.protocol.hands import Now, SeatNow
from mosaic.protocol.runs import ProcRecord
from mosaic.replay.resimulator import Resimulator
from mosaic.rpc.launch import daemon_running
from mosaic.runs.files import read_json
from mosaic.store.reader import StoreReader
from mosaic.store.verify import verify
from tests.proof import oracle
from tests.proof.scenes import WORKERS, ingest_of, kill, until

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import EpisodeRow
    from tests.daemons import Daemon

__all__ = ["KINDS", "WORLDS", "Client", "Sitting", "Witness", "World", "branch"]

KINDS = ("person", "operator", "daemon", "ingest")
"""Who is killed while the session plays. It is itself, in the end."""
_SECS = 60.0
_TICKS = 5
"""In how many ticks a dead person's seat is its operator's again: one, and what was not told of yet."""
_FIRST_SEED = 1


class World(NamedTuple):
    """What is played, and in whose seat people sit."""

    env_id: str
    actor: str
    timed: bool
    """Whether it goes on by itself; else a person is waited for."""
    parameters: Mapping[str, Any] = MappingProxyType({})


WORLDS = (
    World("MountainCar-v0", "", timed=True),
    World("pettingzoo.classic.connect_four_v3", "player_0", timed=False),
    World("pettingzoo.classic.rps_v2", "player_0", timed=False, parameters={"env.max_cycles": 500}),
)


class Witness:
    """A client that only looks. Keeps the most steps that it was told of, by seed and actor."""

    def __init__(self, folder: RunFolder) -> None:
        deadline = time.monotonic() + _SECS
        while True:
            try:
                self._hands = Hands(folder, name="witness")
                break
            except UsageError:
                assert time.monotonic() < deadline, "the session does not listen"
                select.select([], [], [], 0.01)
        self.now: Now | None = None
        self.steps: dict[tuple[int, str], int] = {}

    def close(self) -> None:
        self._hands.close()

    @property
    def ended(self) -> bool:
        """Whether the session has gone, once all that it said was read."""
        self.look()
        return self._hands.ended

    def look(self, secs: float = 0.0) -> None:
        """Read all that has been said."""
        select.select([self._hands], [], [], secs)
        for said in self._hands.read():
            if isinstance(said, Now):
                self.now = said
                for seat in said.seats:
                    key = said.seed, seat.actor
                    self.steps[key] = max(self.steps.get(key, 0), seat.step)

    def until(self, holds: Callable[[Now], bool]) -> Now:
        """How the session stands once this holds."""
        deadline = time.monotonic() + _SECS
        self.look()
        while self.now is None or not holds(self.now):
            assert not self._hands.ended, f"the session has gone; it last said {self.now}"
            assert time.monotonic() < deadline, f"it never came: {self.now}"
            self.look(0.1)
        return self.now

    def wait(self, happened: Callable[[], bool]) -> None:
        """Wait for what happens elsewhere, and hear everything meanwhile: nothing heard is old."""
        deadline = time.monotonic() + _SECS
        while not happened():
            assert time.monotonic() < deadline, "it did not happen in time"
            self.look(0.01)

    def seat(self, actor: str) -> SeatNow:
        """A seat, as it stands after everything that has been said."""
        self.look()
        return _seat(self.until(lambda _: True), actor)

    def place(self, actor: str) -> tuple[int, int]:
        """How far a seat has come: its seed and step."""
        seat = self.seat(actor)
        assert self.now is not None
        return self.now.seed, seat.step


def _seat(now: Now, actor: str) -> SeatNow:
    return next(seat for seat in now.seats if seat.actor == actor)


@dataclass
class Client:
    """A person's client in a process of its own, and where it may have decided."""

    place: Path
    process: subprocess.Popen[bytes]
    witness: Witness
    first: tuple[int, int]
    """Seed and step: it decided nothing before this."""
    end: tuple[int, int] | None = None
    """Nor from this on."""

    @classmethod
    def start(cls, place: Path, folder: RunFolder, *, world: World, witness: Witness) -> Client:
        """Let somebody play."""
        place.mkdir(parents=True)
        command = [sys.executable, str(WORKERS / "plays.py"), str(folder.path), world.actor]
        first = witness.place(world.actor)
        process = subprocess.Popen([*command, "timed" if world.timed else "turns", str(place)])
        return cls(place, process, witness, first)

    @property
    def lines(self) -> list[list[Any]]:
        """Its account: what is surely in the record."""
        with suppress(FileNotFoundError):
            whole = (self.place / "account").read_bytes().rpartition(b"\n")[0]
            return [json.loads(line) for line in whole.splitlines()]
        return []

    def hold(self) -> None:
        """Let it press a key, and wait until the session has told that it is down."""
        (self.place / "hold").touch()
        self.witness.wait(lambda: ["holds"] in self.lines)

    def plays_on(self, more: int) -> None:
        """Wait until it has acted some more times."""
        before = len(self.lines)
        self.witness.wait(lambda: len(self.lines) >= before + more)

    def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        self.process.kill()
        self.process.wait(_SECS)


@dataclass
class Sitting:
    """A session with an operator in a process of its own, while others are killed.

    Args:
        daemon: under which it runs.
        accounts: where operator and people keep theirs.
        world: what is played.
        seed: of every choice.
    """

    daemon: Daemon
    accounts: Path
    world: World
    seed: int
    clients: list[Client] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        self.accounts.mkdir(parents=True)
        operator = f"cmd:{sys.executable} {WORKERS / 'decides.py'} {self.accounts}"
        self.run_id = playing.play(
            self.daemon.root,
            self.world.env_id,
            {self.world.actor or "*": operator, **({"*": "random"} if self.world.actor else {})},
            seeds=range(_FIRST_SEED, _FIRST_SEED + 1000),
            parallel="rps" in self.world.env_id,
            parameters=self.world.parameters,
            pace="tick",
            fps=60.0,
            on_failure="random",
        )
        self.folder = self.daemon.root.run(self.run_id)
        self.witness = Witness(self.folder)
        self.operator = self.witness.seat(self.world.actor).operator

    def close(self) -> None:
        """End what is left of the people."""
        self.witness.close()
        for client in self.clients:
            client.kill()

    def rage(self) -> None:
        """Kill one of each kind, in an order drawn by the seed, each time while a person plays."""
        whom = [*KINDS, "person"]
        self._chance.shuffle(whom)
        for kind in whom:
            client = self._client()
            client.plays_on(self._chance.randrange(1, 5))
            if kind == "operator":
                kill(psutil.Process(int((self.accounts / "pid").read_text())))
            elif kind == "ingest":
                kill(ingest_of(self.daemon))
            elif kind == "daemon":
                self.daemon.kill()
            client.plays_on(3)  # whoever was killed, nobody who plays notices
            if kind == "daemon":
                assert not daemon_running(self.daemon.root)
            if self._chance.random() < 0.5:
                client.hold()
            self._kill_person(client)
            if kind == "daemon":
                self.daemon.reconnect()

    def end(self) -> None:
        """Kill the session itself while a person plays in it."""
        client = self._client()
        client.plays_on(self._chance.randrange(1, 5))
        kill(_worker(self.folder))
        until(lambda: self.witness.ended, timeout_secs=_SECS)
        client.process.wait(_SECS)  # it was told that nothing more will come
        assert client.process.returncode == 0
        client.end = self.witness.place(self.world.actor)[0] + 1, 0
        self.daemon.wait(self.run_id)

    def _client(self) -> Client:
        place = self.accounts / f"person-{len(self.clients)}"
        self.clients.append(Client.start(place, self.folder, world=self.world, witness=self.witness))
        return self.clients[-1]

    def _kill_person(self, client: Client) -> None:
        """The seat is its operator's again, with nothing held, within some ticks; and it goes on."""
        witness, actor = self.witness, self.world.actor
        client.kill()
        seed, step = witness.place(actor)
        now = witness.until(lambda now: _seat(now, actor).by == self.operator)
        back = _seat(now, actor)
        assert (back.held, back.mine, back.waits) == (None, False, False)
        assert now.seed > seed or back.step <= step + _TICKS, f"held from {step} to {back.step}"
        client.end = now.seed, back.step
        gone = now.seed, now.tick
        witness.until(lambda now: (now.seed, now.tick) > (gone[0], gone[1] + 3) or now.seed > gone[0])

    # ---- what is left ----

    def assert_left(self) -> None:
        """Everything that anybody was told is in the record, and the ledger of takeovers is exact."""
        rows = assert_whole(self.daemon, self.run_id)
        actor = self.world.actor
        with StoreReader(self.folder) as reader:
            mine = {row.seed: row for row in rows if (row.agent_id or "") == actor}
            actions = {
                (seed, step.step): step.action
                for seed, row in mine.items()
                for step in reader.steps(row.index)
            }
            seeds = {row.episode_id: row.seed for row in mine.values()}
            told = [json.loads(event.data) for event in reader.events("decision")]
        for (seed, who), steps in self.witness.steps.items():
            kept = [row.steps for row in rows if row.seed == seed and (row.agent_id or "") == who]
            assert sum(kept) >= steps, f"{steps} steps of {who!r} with seed {seed}, of which {kept} are kept"
        taken = {
            (seeds[one["episode_id"]], one["step"]): one
            for one in told
            if one.get("verdict") and one.get("agent_id", "") == actor
        }
        self._assert_people(taken, actions)
        self._assert_operator(taken, actions)
        _assert_written_before(self.folder)

    def _assert_people(self, taken: dict[Any, dict[str, Any]], actions: dict[Any, Any]) -> None:
        sure = 0
        for client in self.clients:
            for seed, first, end, action in (line for line in client.lines if line != ["holds"]):
                for step in range(first, end):
                    one = taken[seed, step]
                    assert (one["executed"], one["by"], one["verdict"]) == (action, "person", "replace")
                    assert actions[seed, step] == action
                    sure += 1
        assert sure > 10, "the people did nothing: this proves nothing"
        for at in taken:
            assert any(client.first <= at < (client.end or at) for client in self.clients), at

    def _assert_operator(self, taken: dict[Any, dict[str, Any]], actions: dict[Any, Any]) -> None:
        """What was executed is what its operator proposed, or has a line that says who did otherwise."""
        lines = (self.accounts / "proposed").read_bytes().rpartition(b"\n")[0].splitlines()
        proposed = {(_FIRST_SEED + begun - 1, step): action for begun, step, action in map(json.loads, lines)}
        assert len(proposed) > 10
        for at, action in actions.items():
            if at in taken:
                assert taken[at]["executed"] == action, at
                assert taken[at]["proposed"] == proposed.get(at, taken[at]["proposed"]), at
            elif at in proposed:
                assert action == proposed[at], at


def _worker(folder: RunFolder) -> psutil.Process:
    record = read_json(folder.proc, ProcRecord)
    assert record is not None
    assert record.worker_pid is not None
    return psutil.Process(record.worker_pid)


def _assert_written_before(folder: RunFolder) -> None:
    """Each decision is written before its step; the last may lack one, if the session was killed between."""
    for events in oracle.read_journal(folder).events.values():
        decided: dict[str, int] = {}
        for event in events:
            if event["type"] == "decision":
                assert decided.get(event["episode_id"], -1) < event["step"]
                decided[event["episode_id"]] = event["step"]
            elif event["type"] == "step":
                at = decided.get(event["episode_id"], -1)
                assert event["step"] >= at, f"step {event['step']} of {event['episode_id']}, decided {at}"
        made = {event["episode_id"]: event["step"] for event in events if event["type"] == "step"}
        for episode_id, step in decided.items():
            assert step <= made.get(episode_id, -1) + 1


def assert_whole(daemon: Daemon, run_id: str) -> list[EpisodeRow]:
    """Journal and store of an ended run agree, and every episode with steps replays exactly. Its episodes."""
    folder = daemon.root.run(run_id)
    assert reading.wait_ingested(daemon.root, run_id, timeout_secs=_SECS)
    assert verify(folder) == []
    with StoreReader(folder) as reader, Resimulator(folder, reader) as resimulator:
        rows = list(reader.episodes())
        played = [row for row in rows if row.steps]
        assert played
        for row in played:
            verdict = resimulator.judge(row)
            assert verdict.exact, f"episode {row.index}: {verdict}"
    return rows


def branch(sitting: Sitting, *, step: int) -> None:
    """A person goes on from a step of the session's first episode, dies, another goes on, the branch dies."""
    daemon, actor = sitting.daemon, sitting.world.actor
    seats = {actor or "*": "person", **({"*": "random"} if actor else {})}
    run_id = branching.branch(daemon.root, sitting.run_id, 0, step, seats=seats)
    folder = daemon.root.run(run_id)
    witness, clients = Witness(folder), []
    try:
        for number in range(2):
            place = sitting.accounts / f"branch-{number}"
            clients.append(Client.start(place, folder, world=sitting.world, witness=witness))
            clients[-1].plays_on(3)
            if number == 0:
                clients[-1].kill()
                now = witness.until(lambda now: _seat(now, actor).by == "person" and _seat(now, actor).waits)
                assert (_seat(now, actor).held, _seat(now, actor).mine) == (None, False)
        kill(_worker(folder))
        until(lambda: witness.ended, timeout_secs=_SECS)
    finally:
        witness.close()
        for client in clients:
            client.kill()
    daemon.wait(run_id)
    [row] = [row for row in assert_whole(daemon, run_id) if (row.agent_id or "") == actor]
    with StoreReader(folder) as reader:
        actions = [one.action for one in reader.steps(row.index)]
    with StoreReader(sitting.folder) as reader:
        [first] = [one for one in reader.episodes() if one.index < 2 and (one.agent_id or "") == actor]
        before = [one.action for one in reader.steps(first.index)]
    assert actions[:step] == before[:step]
    for client in clients:
        for _, begin, end, action in client.lines:
            assert actions[step + begin : step + end] == [action] * (end - begin)
