from __future__ import annotations

import ast
from pathlib import Path

import msgspec
import pytest

import mosaic
from mosaic.protocol.rows import RollUp
from mosaic.protocol.runs import ENDED, Manifest, RunRow, RunSpec, RunState, in_order


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


def test_a_manifest_of_the_first_version_still_says_what_was_asked() -> None:
    line = (
        b'{"spec":{"run_id":"01J","command":["python"],"cwd":"/","runner":"cleanrl","job":{"runner":"cleanrl",'
        b'"algorithm":"ppo","env_id":"CartPole-v1","seed":3,"steps":500,"envs":4,"parameters":{"gamma":0.9},'
        b'"checkout":"/c","resume":"01H","checkpoint":"/p.zip","sha256":"ab"}},"created":1.0}'
    )
    job = msgspec.json.decode(line, type=Manifest).spec.job
    assert job is not None
    assert (job.algorithm, job.env_id, job.seed, job.steps, job.envs) == ("ppo", "CartPole-v1", 3, 500, 4)
    assert (job.checkout, job.resume, job.checkpoint, job.sha256) == ("/c", "01H", "/p.zip", "ab")
    assert (job.kind, job.parameters) == ("train", {"gamma": 0.9})


def test_a_row_is_written_with_what_the_run_is_before_its_numbers_and_nothing_is_left_out() -> None:
    row = RunRow(run_id="01J", name="n", state=RunState.LOST, reason="", created=0.0, command=[], steps=3)
    written = in_order(row)
    assert list(written)[:3] == ["run_id", "name", "state"]
    assert list(written)[-len(RollUp.__struct_fields__) :] == list(RollUp.__struct_fields__)
    assert written == msgspec.structs.asdict(row)


def _listings_of_states(source: str) -> list[int]:
    """The lines of tables and tuples that spell two or more states as texts."""
    states = {state.value for state in RunState}
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set):
            continue
        parts = node.keys if isinstance(node, ast.Dict) else node.elts
        if sum(isinstance(part, ast.Constant) and part.value in states for part in parts) > 1:
            found.append(node.lineno)
    return found


@pytest.mark.parametrize("planted", ['x = {"running": 1, "lost": 2}', 'if state in ("failed", "lost"): pass'])
def test_a_list_of_states_as_texts_is_noticed(planted: str) -> None:
    assert _listings_of_states(planted) == [1]


def test_states_are_spelled_in_one_place_and_tables_are_keyed_by_them() -> None:
    source = Path(mosaic.__file__).parent
    found = {
        f"{path.relative_to(source)}:{line}"
        for path in source.rglob("*.py")
        for line in _listings_of_states(path.read_text())
    }
    assert not found, "use RunState: a new state must not be forgotten there"
