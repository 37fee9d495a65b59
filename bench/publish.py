"""Publishing over gRPC into a real daemon: events a second, acknowledged after they are in the journal.

The worker is this process; its batches are made beforehand, so what is timed is the way from a message to the
journal. Beside it, the limit: the same lines written to a file, and a call per event.
"""

from __future__ import annotations

import json
import os
import queue
import tempfile
import time
from pathlib import Path
from typing import Any

import grpc
import psutil
from ulid import ULID

from mosaic.daemon.lines import step_lines
from mosaic.paths import DataRoot
from mosaic.protocol.runs import ENDED, RunSpec
from mosaic.rpc.launch import connect, wait_until_gone
from mosaic.rpc.pb import trainer_pb2 as pb
from mosaic.rpc.pb.trainer_pb2_grpc import TrainerServiceStub

_OBS = b'{"nd":"<f4","shape":[4],"b64":"AAAAAAAAAAAAAAAAAAAAAA=="}'


def _steps(session: str, *, first_seq: int, count: int, batch: int) -> list[Any]:
    def step(seq: int) -> Any:
        return pb.RunStep(
            episode_id=f"e{seq // 200}",
            step=seq % 200,
            action_json=b"1",
            reward=1.0,
            obs_json=_OBS,
            t=1.7e9 + seq / 1000,
        )

    return [
        pb.PublishSteps(session=session, first_seq=seq, steps=[step(seq + k) for k in range(batch)])
        for seq in range(first_seq, first_seq + count, batch)
    ]


def _publish(stub: Any, metadata: Any, batches: list[Any], *, ahead: int) -> float:
    """Seconds until the last batch is acknowledged, with at most `ahead` unanswered ones."""
    sending: queue.SimpleQueue[Any] = queue.SimpleQueue()
    waiting = iter(batches)
    for _, batch in zip(range(ahead), waiting, strict=False):
        sending.put(batch)
    start = time.perf_counter()
    answers = stub.PublishRunSteps(iter(sending.get, None), metadata=metadata)
    for _ in range(len(batches)):
        next(answers)
        following = next(waiting, None)
        if following is not None:
            sending.put(following)
    took = time.perf_counter() - start
    sending.put(None)
    return took


def measure(*, events: int = 200_000, batch: int = 1000, single: int = 500) -> dict[str, float]:
    """Events a second in batches, one by one, and written to a plain file; the daemon's own time an event."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir(mode=0o700)
        root = DataRoot(home)
        with connect(root, wait_secs=60) as client:
            spec = RunSpec(run_id=str(ULID()), command=["sleep", "600"], cwd="/")
            run_id = client.submit(spec, dict(os.environ)).run_id
            metadata = (("authorization", f"Bearer {root.token.read_text().strip()}"),)
            try:
                with grpc.insecure_channel(f"unix:{root.socket}") as channel:
                    stub = TrainerServiceStub(channel)
                    request = pb.RegisterWorkerRequest(run_id=run_id, worker_id="bench", protocol=1)
                    session = stub.RegisterWorker(request, metadata=metadata).session
                    many = _steps(session, first_seq=1, count=events, batch=batch)
                    daemon = psutil.Process(client.status().pid)
                    before = daemon.cpu_times()
                    in_batches = _publish(stub, metadata, many, ahead=4)
                    after = daemon.cpu_times()
                    few = _steps(session, first_seq=events + 1, count=single, batch=1)
                    one_by_one = _publish(stub, metadata, few, ahead=1)
            finally:
                client.stop(run_id)
                while client.run(run_id).state not in ENDED:
                    time.sleep(0.05)
                client.shutdown()
                wait_until_gone(root)
        blocks = [step_lines(message.steps, first_seq=message.first_seq) for message in many]
        start = time.perf_counter()
        with (home / "limit").open("wb", buffering=0) as file:
            for block in blocks:
                file.write(block)
        to_a_file = time.perf_counter() - start
    return {
        "publish_events_per_sec": events / in_batches,
        "publish_daemon_cpu_micros": 1e6 * (sum(after[:2]) - sum(before[:2])) / events,
        "publish_one_by_one_per_sec": single / one_by_one,
        "plain_file_events_per_sec": events / to_a_file,
    }


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
