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
    assert len(RunState) == 11


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


STATES = {state.value for state in RunState}


def _spells(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value in STATES


def _is_state(node: ast.expr) -> bool:
    """Whether something is called a state: `state`, `row.state`, `self._state`, `row.state.value`."""
    if isinstance(node, ast.Attribute) and node.attr == "value":
        node = node.value
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name.endswith("state")


def _states_as_texts(source: str) -> list[int]:
    """The lines that spell two or more states in a table or tuple, or compare a state with one."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set):
            parts = node.keys if isinstance(node, ast.Dict) else node.elts
            if sum(map(_spells, parts)) > 1:
                found.append(node.lineno)
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(map(_is_state, sides)) and any(map(_spells, sides)):
                found.append(node.lineno)
        elif isinstance(node, ast.Match) and _is_state(node.subject):
            found += [
                case.pattern.lineno
                for case in node.cases
                if isinstance(case.pattern, ast.MatchValue) and _spells(case.pattern.value)
            ]
    return found


@pytest.mark.parametrize(
    "planted",
    [
        'x = {"running": 1, "lost": 2}',
        'if state in ("failed", "lost"): pass',
        'if row.state.value == "failed": pass',
        'x = "lost" != self._state',
        'if run.state == "running" or x: pass',
        """match state:
    case "failed": pass""",
    ],
)
def test_a_state_as_a_text_is_noticed(planted: str) -> None:
    assert len(_states_as_texts(planted)) == 1


@pytest.mark.parametrize(
    "planted", ['x = "failed"', 'if verdict == "failed": pass', 'if state == "red": pass', 'print("lost")']
)
def test_a_word_that_is_also_a_state_is_left_alone(planted: str) -> None:
    assert _states_as_texts(planted) == []


def test_states_are_spelled_in_one_place_and_tables_are_keyed_by_them() -> None:
    source = Path(mosaic.__file__).parent
    found = {
        f"{path.relative_to(source)}:{line}"
        for path in source.rglob("*.py")
        for line in _states_as_texts(path.read_text())
    }
    assert not found, "use RunState: a new state must not be forgotten there"
