"""What is said about a run."""

from __future__ import annotations

from pathlib import Path
from typing import get_args, get_type_hints

import msgspec

from mosaic.paths import RunFolder
from mosaic.protocol.cards import Job
from mosaic.protocol.events import Config
from mosaic.protocol.rows import NUMBERS, StoreSummary
from mosaic.protocol.runs import (
    ExitRecord,
    Manifest,
    RunRow,
    RunSpec,
    RunState,
    ScriptRecord,
    StateChange,
)
from mosaic.ui.details.model import Details, Facts, sections

ROW = RunRow(
    run_id="01ARZ3NDEKTSV4RRFFQ69G5FAV",
    name="evil\x1b[2J",
    state=RunState.FAILED,
    reason="exit code 3",
    created=1000.0,
    command=["python", "my script.py"],
    tags={"lr": "0.1"},
    started=1001.0,
    ended=1061.0,
    exit=ExitRecord(signal=9, t=1061.0, leftovers=["sleep (pid 7)"]),
    episodes=12,
    steps=3456,
    quarantined=2,
    parent="01PARENT",
    runner="sb3",
    algorithm="ppo",
    env_ids=["CartPole-v1"],
)
MANIFEST = Manifest(
    spec=RunSpec(
        run_id=ROW.run_id,
        command=ROW.command,
        cwd="/home/me",
        job=Job(runner="sb3", algorithm="ppo", seed=7, parameters={"gamma": 0.9}, init="/old/model.zip"),
    ),
    created=1000.0,
    host="here",
    script=ScriptRecord(
        path="/home/me/my script.py", sha256="ab" * 32, git_commit="c0ffee" * 6, git_dirty=True
    ),
    history=[StateChange(RunState.RUNNING, "the worker runs", 1001.0)],
)


def lines(row: RunRow = ROW, *, manifest: Manifest | None = MANIFEST) -> dict[str, str]:
    summary = StoreSummary(checkpoints=3, warnings=["no seed was set"])
    found = sections(
        row,
        folder=RunFolder(Path("/data/runs/x")),
        facts=Facts(manifest=manifest, summary=summary),
        parent_name="first",
        now=2000.0,
    )
    return {
        f"{one.title}/{field.label}": field.text for one in found for field in one.fields if field.label
    } | {
        f"{one.title}#{place}": field.text
        for one in found
        for place, field in enumerate(one.fields)
        if not field.label
    }


def test_everything_worth_knowing_is_there() -> None:
    found = lines()
    assert found["Run/State"] == "failed: exit code 3"
    assert found["Run/Command"] == "python 'my script.py'"
    assert found["Run/Tags"] == "lr=0.1"
    assert found["Run/Comes from"] == "first (01PARENT)"
    assert found["Setup/Seed"] == "7"
    assert found["Setup/Starts from"] == "/old/model.zip"
    assert found["Settings/gamma"] == "0.9"
    assert found["Time/Took"] == "1 min 00 s"
    assert found["Recorded/Steps"] == "3,456"
    assert found["Recorded/Checkpoints"] == "3"
    assert "with changes" in found["Provenance/Git commit"]
    assert found["Warnings#0"] == "no seed was set"
    assert found["Warnings#1"] == "2 lines were not events: see quarantine.jsonl"
    assert found["Warnings#2"] == "It was ended by signal 9 (SIGKILL)"
    assert found["Warnings#3"] == "Left over: sleep (pid 7)"
    assert "running: the worker runs" in found["History#0"]


def test_a_run_that_never_started_took_no_time_that_could_be_told() -> None:
    found = lines(msgspec.structs.replace(ROW, state=RunState.QUEUED, started=None, ended=None, exit=None))
    assert found["Time/Started"] == "-"
    assert "Time/Took" not in found
    assert "Time/Ended" not in found


def test_text_of_users_and_workers_is_made_visible() -> None:
    assert lines()["Run/Name"] == "evil\\x1b[2J"


def test_what_can_be_copied_is_copied_whole() -> None:
    found = sections(ROW, folder=RunFolder(Path("/r")), facts=Facts(manifest=MANIFEST), now=0.0)
    copies = {field.label: field.copy for one in found for field in one.fields}
    assert copies["SHA-256"] == "ab" * 32
    assert copies["Command"] == "python 'my script.py'"


def test_without_a_manifest_the_listing_speaks() -> None:
    found = lines(manifest=None)
    assert found["Setup/Algorithm"] == "ppo"
    assert "Provenance/Script" not in found


def test_every_kind_of_job_has_its_word() -> None:
    assert MANIFEST.spec.job is not None
    said = []
    for kind in get_args(get_type_hints(Job)["kind"]):
        job = msgspec.structs.replace(MANIFEST.spec.job, kind=kind)
        manifest = msgspec.structs.replace(MANIFEST, spec=msgspec.structs.replace(MANIFEST.spec, job=job))
        said.append(lines(manifest=manifest)["Setup/Kind"])
    assert said == ["training", "evaluation", "decisions", "session"]


def test_a_job_with_nothing_changed_says_so() -> None:
    assert MANIFEST.spec.job is not None
    job = msgspec.structs.replace(MANIFEST.spec.job, parameters={})
    plain = msgspec.structs.replace(MANIFEST, spec=msgspec.structs.replace(MANIFEST.spec, job=job))
    assert lines(manifest=plain)["Settings/Parameters"].startswith("all as the algorithm")


def test_what_the_worker_said_it_was_told_is_shown_in_full() -> None:
    config = Config(algo="ppo", args={"lr": 0.00025123456789, "evil\x1b": "\x1b[2J"})
    found = sections(ROW, folder=RunFolder(Path("/runs/x")), facts=Facts(config=config), now=1.0)
    (section,) = [one for one in found if one.title == "Configuration"]
    assert [(field.label, field.text) for field in section.fields] == [
        ("algo", "ppo"),
        ("lr", "0.00025123456789"),
        ("evil\\x1b", "\\x1b[2J"),
    ]
    silent = sections(ROW, folder=RunFolder(Path("/runs/x")), now=1.0)
    assert "Configuration" not in [one.title for one in silent]


def test_every_number_of_the_roll_up_is_shown() -> None:
    row = msgspec.structs.replace(ROW, last_return=1.5, mean_return_100=2.5, steps_per_sec=250.4)
    found = sections(row, folder=RunFolder(Path("/r")), now=0.0)
    recorded = {field.label: field.text for one in found if one.title == "Recorded" for field in one.fields}
    assert recorded.keys() == {one.title for one in NUMBERS if one.name not in ("quarantined", "warned")}
    assert (recorded["Last return"], recorded["Mean of 100"], recorded["Steps/s"]) == ("1.5", "2.5", "250")


def test_of_another_run_nothing_is_known_until_it_is_read() -> None:
    details = Details()
    changes: list[str | None] = []
    details.changed.connect(lambda: changes.append(details.run_id))
    details.turn_to("01A")
    details.take(Facts(manifest=MANIFEST))
    assert details.facts.manifest is MANIFEST
    details.fail("the disk refuses")
    assert details.problem == "the disk refuses"
    details.turn_to("01B")
    assert (details.facts, details.problem) == (Facts(), "")
    assert changes == ["01A", "01A", "01A", "01B"]
