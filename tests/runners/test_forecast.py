from __future__ import annotations

import msgspec

from mosaic.protocol.cards import Capabilities, Job, RunnerCard
from mosaic.runners.environments import Readiness
from mosaic.runners.facts import Facts
from mosaic.runners.forecast import disk_need, memory_need
from mosaic.runners.probe import Findings, SpaceFound

CARD = RunnerCard(id="x", title="X")
MIB = 1 << 20
FACTS = Facts(
    readiness=Readiness(state="ready", python="/py"),
    found=Findings(observation=SpaceFound(kind="Box", bytes=100)),
    inline_bytes=1024,
)


def test_more_steps_take_more_disk_and_what_was_measured_counts_more_than_the_estimate() -> None:
    short, long = Job(runner="x", steps=1000), Job(runner="x", steps=1_000_000)
    assert disk_need(CARD, short, FACTS) < disk_need(CARD, long, FACTS)
    measured = msgspec.structs.replace(FACTS, measured_step_bytes=10.0)
    assert disk_need(CARD, long, measured) - disk_need(CARD, Job(runner="x"), measured) == 10_000_000


def test_large_observations_are_not_recorded_whole_and_so_take_no_disk() -> None:
    job = Job(runner="x", steps=1_000_000)
    picture = Findings(observation=SpaceFound(kind="Box", bytes=100_000))
    assert disk_need(CARD, job, msgspec.structs.replace(FACTS, found=picture)) < disk_need(CARD, job, FACTS)


def test_checkpoints_and_torch_are_counted() -> None:
    job = Job(runner="x", steps=1)
    saves = RunnerCard(id="x", title="X", torch=True, capabilities=Capabilities(supports_checkpoint=True))
    assert disk_need(saves, job, FACTS) > disk_need(CARD, job, FACTS)
    assert memory_need(saves, None, job, FACTS) > memory_need(CARD, None, job, FACTS)


def test_a_buffer_never_holds_more_than_the_training_has_steps() -> None:
    job = Job(runner="x", steps=1000, parameters={"buffer_size": 10**9})
    assert memory_need(CARD, None, job, FACTS) < 200 * MIB
