from __future__ import annotations

import pytest

from mosaic.daemon.submission import check, check_labels
from mosaic.errors import UsageError
from mosaic.protocol.runs import RunSpec
from mosaic_worker.common.redact import MARK


@pytest.mark.parametrize(
    ("spec", "env", "words"),
    [
        (RunSpec(run_id="x", command=[], cwd="/"), {}, "the command is empty"),
        (RunSpec(run_id="x", command=["a\0"], cwd="/"), {}, "NUL"),
        (RunSpec(run_id="x", command=["a"], cwd="/"), {"A=B": "c"}, "cannot hold '='"),
        (RunSpec(run_id="x", command=["a"], cwd="here"), {}, "must be absolute"),
        (RunSpec(run_id="x", command=["a", f"--key={MARK}"], cwd="/"), {}, "Give it again"),
    ],
)
def test_what_cannot_be_a_run_is_refused_with_the_reason(
    spec: RunSpec, env: dict[str, str], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        check(spec, env)


@pytest.mark.parametrize("name", ["last", " padded", "two\nlines", "x" * 201])
def test_what_cannot_be_a_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        check_labels(name, {})


@pytest.mark.parametrize("tags", [{"": "x"}, {"a\x1b": "x"}, {"a": "x\ny"}])
def test_what_cannot_be_a_tag_is_refused(tags: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        check_labels("", tags)


def test_ordinary_labels_are_fine() -> None:
    check_labels("first try", {"algo": "ppo", "empty": ""})
