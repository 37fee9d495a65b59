"""A worker that speaks gRPC: it publishes episodes to the MOSAIC daemon and survives the daemon's restart.

Run it under MOSAIC, in any environment that has `grpcio` and `protobuf`:

    mosaic run -- python grpc_worker.py --episodes 20 --stubs STUBS

STUBS is a folder with the code generated from `trainer.proto`; see docs/grpc-worker.md. Nothing else of
MOSAIC is needed, and the same few calls can be made from any language.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import grpc

PROTOCOL = 1
BATCH_EVENTS = 500
GONE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)


class Publisher:
    """Publishes journal lines: numbers them, keeps what is not acknowledged, sends it again after a break."""

    def __init__(self, pb: Any, stubs: Any, *, worker_id: str, give_up_secs: float = 60.0) -> None:
        self._pb, self._stubs = pb, stubs
        self._worker_id = worker_id
        self._give_up_secs = give_up_secs
        self._pending: list[bytes] = []  # the events after `_acked`; at most one batch
        self._acked = 0

    def emit(self, event: dict[str, Any]) -> None:
        """Publish one event, sooner or later."""
        self._pending.append(json.dumps(event).encode())
        if len(self._pending) >= BATCH_EVENTS:
            self.flush()

    def flush(self) -> None:
        """Return when everything emitted so far is in the run's journal."""
        until = time.monotonic() + self._give_up_secs
        while self._pending:
            if not self._daemon_took_it():
                if time.monotonic() > until:
                    raise TimeoutError(f"no daemon for {self._give_up_secs:g} s")
                time.sleep(0.2)

    def _daemon_took_it(self) -> bool:
        try:
            self._send_pending()
        except grpc.RpcError as error:
            if error.code() not in GONE:
                raise
            return False  # the daemon restarts; the run, and we, go on
        return True

    def _send_pending(self) -> None:
        socket, token_file = os.environ["MOSAIC_SOCKET"], os.environ["MOSAIC_TOKEN_FILE"]
        metadata = (("authorization", "Bearer " + Path(token_file).read_text().strip()),)
        with grpc.insecure_channel(f"unix:{socket}") as channel:
            trainer = self._stubs.TrainerServiceStub(channel)
            hello = self._pb.RegisterWorkerRequest(
                run_id=os.environ["MOSAIC_RUN_ID"],
                worker_id=self._worker_id,
                protocol=PROTOCOL,
                program="grpc_worker.py",
            )
            registered = trainer.RegisterWorker(hello, metadata=metadata, timeout=10)
            # The journal may be further than the last answer we heard.
            self._note_acknowledged(registered.acked_seq)
            batch = self._pb.PublishEvents(
                session=registered.session, first_seq=self._acked + 1, lines=self._pending
            )
            for answer in trainer.PublishRunEvents(iter([batch]), metadata=metadata, timeout=30):
                self._note_acknowledged(answer.acked_seq)

    def _note_acknowledged(self, seq: int) -> None:
        del self._pending[: seq - self._acked]
        self._acked = seq


def play(publisher: Publisher, episode: int, dice: random.Random) -> dict[str, Any]:
    """One episode of a walk to the left or the right, and what it came to."""
    episode_id = f"walk.{episode}"
    publisher.emit({"type": "reset", "episode_id": episode_id, "seed": episode, "obs": 0, "t": time.time()})
    place, total, step, done = 0, 0.0, 0, False
    while not done:
        action = dice.choice((-1, 1))
        place += action
        reward = 0.5 * action
        total += reward
        done = abs(place) >= 5
        publisher.emit(
            {
                "type": "step",
                "episode_id": episode_id,
                "step": step,
                "action": action,
                "reward": reward,
                "terminated": done,
                "obs": place,
                "t": time.time(),
            }
        )
        step += 1
    outcome = {"episode_id": episode_id, "steps": step, "return": total, "outcome": "terminated"}
    publisher.emit({"type": "episode", **outcome, "t": time.time()})
    publisher.emit({"type": "metric", "name": "return", "value": total, "step": episode, "t": time.time()})
    return outcome


def main() -> None:
    """Play some episodes and print what should be found in the store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stubs", type=Path, required=True, help="the folder with trainer_pb2.py")
    options = parser.parse_args()
    sys.path.insert(0, str(options.stubs))
    pb = importlib.import_module("trainer_pb2")
    stubs = importlib.import_module("trainer_pb2_grpc")
    publisher = Publisher(pb, stubs, worker_id=f"walker-{options.seed}")
    dice = random.Random(options.seed)
    for episode in range(options.episodes):
        print(json.dumps(play(publisher, episode, dice)))
    publisher.flush()


if __name__ == "__main__":
    main()
