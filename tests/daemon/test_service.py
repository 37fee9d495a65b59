"""The service translates: calls, rows, and our errors to the same errors at the caller."""

from __future__ import annotations

import json
import sys
import threading
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from ulid import ULID

from mosaic.errors import AmbiguousRunError, MosaicError, RunNotFoundError, UsageError
from mosaic.protocol.runs import ENDED, RunState
from mosaic.rpc.pb import trainer_pb2 as pb
from mosaic.store.reader import StoreReader
from tests.daemons import Daemon, until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mosaic.protocol.runs import RunRow


def test_a_run_is_submitted_watched_to_its_end_and_listed(shared_daemon: Daemon) -> None:
    row = shared_daemon.submit(["sh", "-c", "exit 3"], name="three")
    ended = shared_daemon.wait(row.run_id)
    assert (ended.state, ended.name, ended.command) == (RunState.FAILED, "three", ["sh", "-c", "exit 3"])
    assert ended.exit is not None
    assert (ended.exit.code, ended.exit.signal) == (3, None)
    assert row.run_id in {listed.run_id for listed in shared_daemon.client.runs()}
    assert shared_daemon.client.run(row.run_id[:20]).run_id == row.run_id
    assert shared_daemon.client.run("last").run_id == row.run_id


def test_the_rows_of_a_run_nobody_watches_count_all_it_had_recorded_when_they_were_asked_for(
    shared_daemon: Daemon, tmp_path: Path
) -> None:
    client, told = shared_daemon.client, tmp_path / "told"
    script = (
        "import json, pathlib, sys, time\n"
        "for number in range(10**6):\n"
        "    print(json.dumps({'type': 'metric', 'name': 'x', 'value': 1.0, 'step': number}), flush=True)\n"
        f"    pathlib.Path({str(told)!r}).write_text(str(number + 1))\n"
        "    time.sleep(0.01)\n"
    )
    run_id = shared_daemon.submit([sys.executable, "-c", script]).run_id
    until(lambda: told.exists() and client.run(run_id).metrics > 0)
    for _ in range(20):
        recorded = int(told.read_text() or 0)
        assert client.run(run_id).metrics >= recorded
        recorded = int(told.read_text() or 0)
        (listed,) = [row for row in client.runs() if row.run_id == run_id]
        assert listed.metrics >= recorded
    client.stop(run_id)
    shared_daemon.wait(run_id)


def test_the_same_run_id_twice_is_one_run(shared_daemon: Daemon) -> None:
    run_id = str(ULID())
    shared_daemon.submit(["sh", "-c", "echo x"], run_id=run_id)
    again = shared_daemon.submit(["sh", "-c", "echo y"], run_id=run_id)
    assert again.run_id == run_id
    shared_daemon.wait(run_id)
    assert shared_daemon.client.logs(run_id).data == b"x\n"
    assert [row.run_id for row in shared_daemon.client.runs()].count(run_id) == 1


def test_a_run_is_paused_unpaused_and_stopped(shared_daemon: Daemon) -> None:
    client = shared_daemon.client
    run_id = shared_daemon.submit(["sleep", "600"]).run_id
    until(lambda: client.run(run_id).state is RunState.RUNNING)
    client.pause(run_id)
    until(lambda: client.run(run_id).state is RunState.PAUSED)
    client.unpause(run_id)
    until(lambda: client.run(run_id).state is RunState.RUNNING)
    assert client.stop(run_id, reason="enough").state in {RunState.STOPPING, RunState.STOPPED}
    assert shared_daemon.wait(run_id).state is RunState.STOPPED


def test_a_run_nobody_knows_is_said_so_by_every_call_about_a_run(shared_daemon: Daemon) -> None:
    client = shared_daemon.client
    calls = (
        client.run, client.stop, client.pause, client.unpause, client.delete, client.rebuild, client.episodes,
        client.metrics, client.events, client.checkpoints, client.logs,
        lambda run: client.episode_steps(run, 0),
        lambda run: list(client.stream_steps(run)), lambda run: list(client.stream_events(run)),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(RunNotFoundError, match="no-such-run"):
            call("no-such-run")
    assert client.status().faults == 0


def test_a_name_of_two_runs_is_ambiguous(shared_daemon: Daemon) -> None:
    for _ in range(2):
        shared_daemon.wait(shared_daemon.submit(["true"], name="twins").run_id)
    with pytest.raises(AmbiguousRunError, match="twins"):
        shared_daemon.client.run("twins")


def test_a_request_that_cannot_work_comes_back_as_a_usage_error(shared_daemon: Daemon) -> None:
    with pytest.raises(UsageError, match="command is empty"):
        shared_daemon.submit([])
    with pytest.raises(MosaicError):
        shared_daemon.submit(["true"], run_id="../../etc")
    assert shared_daemon.client.status().faults == 0


def test_a_running_run_is_not_deleted_and_an_ended_one_is(shared_daemon: Daemon) -> None:
    client = shared_daemon.client
    run_id = shared_daemon.submit(["sleep", "600"]).run_id
    with pytest.raises(UsageError, match="Stop it first"):
        client.delete(run_id)
    client.stop(run_id)
    shared_daemon.wait(run_id)
    client.delete(run_id)
    assert not shared_daemon.root.run(run_id).path.exists()
    with pytest.raises(RunNotFoundError):
        client.run(run_id)


def test_logs_are_read_in_pieces_from_the_start_or_before_the_end(shared_daemon: Daemon) -> None:
    client = shared_daemon.client
    run_id = shared_daemon.submit(["sh", "-c", "printf 0123456789; printf oops >&2"]).run_id
    shared_daemon.wait(run_id)
    first = client.logs(run_id, max_bytes=4)
    assert (first.data, first.next_offset, first.ended) == (b"0123", 4, False)
    rest = client.logs(run_id, offset=first.next_offset)
    assert (rest.data, rest.next_offset, rest.ended) == (b"456789", 10, True)
    assert client.logs(run_id, offset=-3).data == b"789"
    assert client.logs(run_id, offset=99).data == b""
    assert client.logs(run_id, stderr=True).data == b"oops"


def test_a_watcher_sees_the_runs_there_are_and_then_every_change(shared_daemon: Daemon) -> None:
    before = shared_daemon.submit(["true"]).run_id
    shared_daemon.wait(before)
    seen: list[RunRow] = []
    run_id = str(ULID())
    watching = shared_daemon.client.watch_runs()
    for row in watching:
        seen.append(row)
        if row.run_id == before:
            shared_daemon.submit(["true"], run_id=run_id)
        if row.run_id == run_id and row.state in ENDED:
            break
    watching.close()
    assert seen[-1].state is RunState.FINISHED
    until(lambda: shared_daemon.client.status().streams == 0)


def test_a_watcher_that_leaves_is_no_fault(shared_daemon: Daemon) -> None:
    faults = shared_daemon.client.status().faults
    run_id = shared_daemon.submit(["sleep", "600"]).run_id
    for stream in (shared_daemon.client.watch_runs(), shared_daemon.client.stream_steps(run_id)):
        reader = threading.Thread(target=next, args=(stream, None))
        reader.start()
        reader.join()
        stream.close()
    until(lambda: shared_daemon.client.status().streams == 0)
    assert shared_daemon.client.status().faults == faults
    shared_daemon.client.stop(run_id)


def test_every_method_of_the_contract_is_served() -> None:
    from mosaic.daemon.service import TrainerService

    names = {method.name for method in pb.DESCRIPTOR.services_by_name["TrainerService"].methods}
    asked = (
        "SubmitRun StopRun PauseRun ResumeRun DeleteRun EditRun RebuildRun ListRuns WatchRuns GetRun "
        "RegisterWorker "
        "PublishRunSteps PublishRunEpisodes PublishRunEvents StreamRunSteps StreamRunEpisodes "
        "StreamRunMetrics StreamRunEvents ListEpisodes GetEpisodeSteps ListMetrics ListEvents "
        "ListCheckpoints ReadLogs Status Shutdown"
    )
    assert names == set(asked.split())
    service = TrainerService.__new__(TrainerService)
    assert service.handler().service_name() == "mosaic.v1.TrainerService"


def test_a_command_that_does_not_exist_is_a_failed_run_that_names_it(shared_daemon: Daemon) -> None:
    row = shared_daemon.wait(shared_daemon.submit(["no-such-command-here"]).run_id)
    assert row.state is RunState.FAILED
    assert "no-such-command-here" in row.reason
    assert row.exit is not None
    assert (row.exit.code, row.exit.signal) == (None, None)


@pytest.mark.parametrize(
    "name", [method.name for method in pb.DESCRIPTOR.services_by_name["TrainerService"].methods]
)
def test_bytes_that_are_no_message_are_the_callers_error(shared_daemon: Daemon, name: str) -> None:
    service = pb.DESCRIPTOR.services_by_name["TrainerService"]
    method = service.methods_by_name[name]
    token = shared_daemon.root.token.read_text().strip()
    raw = {"request_serializer": bytes, "response_deserializer": bytes}
    call = {"metadata": (("authorization", f"Bearer {token}"),), "timeout": 60}
    garbage = b"\x0a\xff\xff\xff\xff\x0f" + b"x" * 20
    faults = shared_daemon.client.status().faults
    with grpc.insecure_channel(f"unix:{shared_daemon.root.socket}") as channel:
        path = f"/{service.full_name}/{name}"
        send: Callable[[], object]
        if method.client_streaming:
            send = lambda: list(channel.stream_stream(path, **raw)(iter([garbage]), **call))  # noqa: E731
        elif method.server_streaming:
            send = lambda: list(channel.unary_stream(path, **raw)(garbage, **call))  # noqa: E731
        else:
            send = lambda: channel.unary_unary(path, **raw)(garbage, **call)  # noqa: E731
        with pytest.raises(grpc.RpcError) as refused:
            send()
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "the request is not a" in refused.value.details()
    assert shared_daemon.client.status().faults == faults


EPISODES, STEPS = 40, 25
SCRIPT = f"""
for episode in range({EPISODES}):
    for step in range({STEPS}):
        where = '"episode_id":"e%d","step":%d' % (episode, step)
        print('{{"type":"decision",%s,"proposed":%d,"reason":"%s"}}' % (where, step, "why " * 250))
        print('{{"type":"step",%s,"reward":1.0}}' % where)
    print('{{"type":"log","text":"%d"}}' % episode)
print('{{"type":"telepathy","strength":3}}')
"""


@pytest.fixture(scope="module")
def decided(shared_daemon: Daemon) -> str:
    """A run with a thousand decisions of a kilobyte, all in the store."""
    run_id = shared_daemon.submit([sys.executable, "-c", SCRIPT]).run_id
    list(shared_daemon.client.stream_episodes(run_id))
    return run_id


def test_one_episodes_decisions_are_asked_for_by_kind_and_episode_in_any_language(
    shared_daemon: Daemon, decided: str
) -> None:
    token = shared_daemon.root.token.read_text().strip()
    with grpc.insecure_channel(f"unix:{shared_daemon.root.socket}") as channel:
        list_events = channel.unary_unary(
            "/mosaic.v1.TrainerService/ListEvents",
            request_serializer=pb.ListEventsRequest.SerializeToString,
            response_deserializer=pb.ListEventsReply.FromString,
        )
        for which in ({"index": 7}, {"episode_id": "e7"}):
            rows, page = [], pb.ListEventsReply(more=True)
            while page.more:
                request = pb.ListEventsRequest(run=decided, kinds=["decision"], limit=10, **which)
                request.since_seq = page.next_seq
                page = list_events(request, metadata=(("authorization", f"Bearer {token}"),), timeout=60)
                assert len(page.rows) <= 10
                rows += page.rows
            said = [json.loads(row.json) for row in rows]
            assert {row.type for row in rows} == {"decision"}
            assert [(one["episode_id"], one["step"]) for one in said] == [("e7", n) for n in range(STEPS)]


def test_events_come_in_pages_that_a_client_can_take_and_leave_nothing_out(
    shared_daemon: Daemon, decided: str
) -> None:
    pages = [shared_daemon.client.events(decided, limit=0)]
    while not pages[-1].live:
        pages.append(shared_daemon.client.events(decided, since_seq=pages[-1].next_seq, limit=0))
    assert len(pages) > 1, "a megabyte was meant to be felt"
    assert all(sum(len(row.json) for row in page.rows) <= 1 << 20 for page in pages)
    with StoreReader(shared_daemon.root.run(decided)) as reader:
        assert [(row.seq, row.type, row.json) for page in pages for row in page.rows] == reader.events()


def test_events_are_narrowed_down_by_several_kinds_and_by_step(shared_daemon: Daemon, decided: str) -> None:
    client = shared_daemon.client
    two = client.events(decided, ["log", "telepathy", "log"])
    assert [row.type for row in two.rows] == ["log"] * EPISODES + ["telepathy"]
    (one,) = client.events(decided, ["decision"], episode=3, step=0).rows
    assert (json.loads(one.json)["episode_id"], json.loads(one.json)["step"]) == ("e3", 0)
    first = client.events(decided, limit=-5, since_seq=-(1 << 63)).rows
    assert first[0].seq == 1, "numbers below zero mean the same as none"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"kinds": ["desicion"]}, "Did you mean 'decision'. There are: hello, .*decision, .*telepathy"),
        ({"kinds": [""]}, "no '' event. There are: hello"),
        ({"kinds": ["log", "x" * 100_000]}, "There are: hello"),
        ({"kinds": [f"k{n}" for n in range(50_000)]}, "no 'k0' event"),
        ({"kinds": ["log'; DROP TABLE events; --\0"]}, "There are: hello"),
        ({"kinds": ["metric"]}, "mosaic metrics RUN"),
        ({"kinds": ["log"], "episode": 0}, "belong to no episode. Those that do: decision, belief"),
        ({"kinds": ["decision"], "episode": -1}, "This run has episodes 0 to 39"),
        ({"episode": (1 << 63) - 1}, "This run has episodes 0 to 39"),
        ({"episode": ""}, "there is no episode ''"),
        ({"episode": "e7\0"}, "This run has episodes 0 to 39"),
    ],
)
def test_events_that_cannot_be_listed_are_the_callers_error(
    shared_daemon: Daemon, decided: str, asked: dict[str, Any], said: str
) -> None:
    faults = shared_daemon.client.status().faults
    with pytest.raises(UsageError, match=said):
        shared_daemon.client.events(decided, **asked)
    assert shared_daemon.client.status().faults == faults


def test_a_step_that_no_event_is_about_has_none(shared_daemon: Daemon, decided: str) -> None:
    for step in (-1, STEPS, (1 << 63) - 1, -(1 << 63)):
        page = shared_daemon.client.events(decided, ["decision", "log"], step=step)
        assert (page.rows, page.next_seq, page.live) == ([], 0, True)
