from __future__ import annotations

import msgspec

from mosaic.protocol.runs import ENDED, Manifest, RunSpec, RunState


def test_a_manifest_round_trips_and_an_older_reader_ignores_newer_fields() -> None:
    spec = RunSpec(run_id="01J", command=["python", "train.py"], cwd="/somewhere", tags={"k": "v"})
    line = msgspec.json.encode(Manifest(spec=spec, created=1.5))
    fields = msgspec.json.decode(line)
    fields["from_the_future"] = [1, 2]
    assert msgspec.json.decode(msgspec.json.encode(fields), type=Manifest).spec == spec


def test_the_spec_has_no_place_for_environment_variables() -> None:
    assert not {field.name for field in msgspec.structs.fields(RunSpec)} & {"env", "environ", "environment"}


def test_ended_states_are_those_without_a_process() -> None:
    assert {state.value for state in ENDED} == {"finished", "failed", "stopped", "lost"}
    assert len(RunState) == 10
