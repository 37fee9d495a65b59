"""The checkpoints of all runs, as their records and the disk tell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mosaic.artifacts import checkpoints, trust
from mosaic.errors import RunNotFoundError, UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.cards import Job
from tests.artifacts.saving import saved_run


@pytest.fixture
def root(home: Path) -> DataRoot:
    return DataRoot(home)


def test_a_run_lists_its_checkpoints_newest_first_with_what_they_are_of(root: DataRoot) -> None:
    run = saved_run(root, name="first")
    run.save("step-1.npz", b"one", step=1, reason="cadence")
    path = run.save("final-2.npz", b"two!", step=2, reason="final", metrics={"return_mean": 0.5})
    run.end()
    final, cadence = checkpoints.of_run(root, run.run_id)
    assert (final.path, final.row.step, final.reason, final.row.bytes) == (path, 2, "final", 4)
    assert (final.runner, final.algorithm, final.env_id) == ("tabular", "sarsa", "FrozenLake-v1")
    assert (final.run_id, final.run_name, final.trusted) == (run.run_id, "first", True)
    assert (final.intact, checkpoints.verified(final).intact) == (None, True)
    assert cadence.row.step == 1


def test_a_checkpoint_that_was_changed_is_not_intact_whether_its_size_tells_or_not(root: DataRoot) -> None:
    run = saved_run(root)
    shorter = run.save("a", b"12345", step=1)
    same_size = run.save("b", b"12345", step=2)
    missing = run.save("c", b"12345", step=3)
    run.end()
    shorter.write_bytes(b"1")
    same_size.write_bytes(b"54321")
    missing.unlink()
    found = {known.path: known for known in map(checkpoints.verified, checkpoints.of_run(root, run.run_id))}
    assert [known.intact for known in found.values()] == [False, False, False]
    assert not any(known.pruned for known in found.values())
    assert "1 bytes, recorded were 5" in found[shorter].note
    assert "not the recorded ones" in found[same_size].note
    assert "not there" in found[missing].note


def test_only_what_the_rule_lets_go_is_called_pruned(
    root: DataRoot,
) -> None:
    run = saved_run(root)
    paths = [run.save(f"{n}", b"x", step=n, reason="cadence", keep_last=2) for n in range(4)]
    run.end()
    paths[0].unlink()
    paths[3].unlink()
    found = {known.row.step: known for known in checkpoints.of_run(root, run.run_id)}
    assert (found[0].pruned, found[0].note) == (True, "pruned: newer ones were kept")
    assert (found[3].pruned, found[3].usable) == (False, False)
    assert found[1].usable  # the rule lets it go, but it is still there


def test_a_name_used_again_belongs_to_the_last_one(root: DataRoot) -> None:
    run = saved_run(root)
    run.save("model.zip", b"old", step=1)
    run.save("model.zip", b"newer", step=2)
    run.end()
    newer, old = checkpoints.of_run(root, run.run_id)
    assert (newer.usable, old.usable, old.pruned) == (True, False, True)


def test_a_moved_folder_finds_its_checkpoints_again(root: DataRoot, tmp_path: Path) -> None:
    run = saved_run(root)
    run.save("final.npz", b"two", step=2, reason="final")
    run.end()
    other = DataRoot(tmp_path / "other")
    (other.path / "runs").mkdir(mode=0o700, parents=True)
    run.folder.path.rename(other.run(run.run_id).path)
    (known,) = checkpoints.of_run(other, run.run_id)
    assert checkpoints.verified(known).intact is True
    assert not known.trusted  # it was not started there


def test_a_strangers_record_cannot_name_files_outside_its_folder(root: DataRoot, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"mine")
    stranger, own = saved_run(root, own=False), saved_run(root)
    for run in (stranger, own):
        run.list_elsewhere(secret)
        run.end()
    (known,) = checkpoints.of_run(root, stranger.run_id)
    assert (known.usable, known.trusted) == (False, False)
    assert "outside" in known.note
    (known,) = checkpoints.of_run(root, own.run_id)
    assert known.usable


@pytest.mark.parametrize("path", ["../../../secret", "checkpoints/../../../../secret"])
def test_a_strangers_record_cannot_climb_out_of_its_folder(root: DataRoot, tmp_path: Path, path: str) -> None:
    (tmp_path / "secret").write_bytes(b"mine")
    stranger = saved_run(root, own=False)
    stranger.file("any", b"")
    assert (stranger.folder.path / path).read_bytes() == b"mine"
    lines = [
        {"type": "hello", "protocol": 1, "producer": "p1xevil"},
        {"type": "checkpoint", "path": path, "bytes": 4},
    ]
    text = "".join(json.dumps({**line, "seq": seq}) + "\n" for seq, line in enumerate(lines))
    (stranger.folder.journal / "p1xevil-0000.jsonl").write_text(text)
    stranger.end()
    (known,) = checkpoints.of_run(root, stranger.run_id)
    assert not known.usable
    assert "outside" in known.note


def test_a_strangers_checkpoint_is_trusted_once_its_bytes_are(root: DataRoot) -> None:
    run = saved_run(root, own=False)
    path = run.save("final.zip", b"weights", step=1)
    run.end()
    assert not checkpoints.of_run(root, run.run_id)[0].trusted
    trust.trust(root, path)
    assert checkpoints.of_run(root, run.run_id)[0].trusted


def test_a_checkpoint_is_meant_by_run_step_reason_or_path(root: DataRoot, tmp_path: Path) -> None:
    run = saved_run(root, name="first")
    run.save("step-1", b"1", step=1, reason="cadence")
    run.save("best-2", b"2", step=2, reason="best")
    final = run.save("final-3", b"3", step=3, reason="final")
    run.save("best-3", b"4", step=3, reason="best")
    run.end()
    names = {
        text: checkpoints.find(root, text).path.name
        for text in (
            "first",
            "first:final",
            "first:best",
            "first:last",
            "first@1",
            "last",
            str(final),
            run.run_id,
        )
    }
    assert names == {
        "first": "final-3", "first:final": "final-3", "first:best": "best-3", "first:last": "best-3",
        "first@1": "step-1", "last": "final-3", str(final): "final-3", run.run_id: "final-3",
    }  # fmt: skip
    with pytest.raises(UsageError, match=r"no such checkpoint \(first@9\). It has: best@3, final@3"):
        checkpoints.find(root, "first@9")
    with pytest.raises(RunNotFoundError):
        checkpoints.find(root, "second")
    with pytest.raises(UsageError, match="there is no file"):
        checkpoints.find(root, str(tmp_path / "none"))


def test_a_file_of_no_run_is_known_by_its_hash_alone(root: DataRoot, tmp_path: Path) -> None:
    path = tmp_path / "downloaded.zip"
    path.write_bytes(b"weights")
    known = checkpoints.find(root, str(path))
    assert (known.run_id, known.runner, known.trusted, known.usable) == ("", "", False, True)
    trust.trust(root, path)
    assert checkpoints.find(root, str(path)).trusted


def test_the_checkpoints_of_all_runs_come_in_one_list(root: DataRoot) -> None:
    assert checkpoints.everywhere(root) == []
    job = Job(runner="sb3", algorithm="ppo", env_id="CartPole-v1")
    for name in ("first", "second"):
        run = saved_run(root, name=name, job=job)
        run.save("final", b"x", step=1)
        run.end()
    empty = saved_run(root, name="empty")
    empty.end()
    (root.runs / "no run").mkdir()
    assert [known.run_name for known in checkpoints.everywhere(root)] == ["second", "first"]
    with pytest.raises(UsageError, match="no checkpoint"):
        checkpoints.find(root, "empty")


def test_a_folder_is_intact_while_every_file_in_it_is(root: DataRoot) -> None:
    run = saved_run(root)
    folder = run.file("rllib/state", b"weights").parent
    run.file("rllib/module", b"more")
    run.list_elsewhere(folder)
    run.end()
    (known,) = checkpoints.of_run(root, run.run_id)
    assert (known.path, known.row.bytes, known.row.meta["files"]) == (folder, 11, 2)
    assert checkpoints.is_folder(known.row)
    assert checkpoints.verified(known).intact is True
    (folder / "module").write_bytes(b"MORE")
    assert "not the recorded ones" in checkpoints.verified(known).note
    (folder / "module").unlink()
    (folder / "module").symlink_to("/etc/passwd")
    assert checkpoints.verified(known).intact is False
    (folder / "module").unlink()
    (folder / "state").unlink()
    folder.rmdir()
    folder.write_bytes(b"a file now")
    (known,) = checkpoints.of_run(root, run.run_id)
    assert (known.intact, known.note) == (False, "it is not a folder")


def test_what_was_renamed_counts_once_where_it_is(root: DataRoot) -> None:
    run = saved_run(root)
    before = run.save("tmp", b"weights", step=1)
    run.save("policy", b"weights", step=1, renamed_from="checkpoints/tmp")
    run.end()
    before.unlink()
    found = checkpoints.of_run(root, run.run_id)
    assert [(known.path.name, known.pruned) for known in found] == [("policy", False), ("tmp", True)]
    assert found[1].note == "renamed: it is checkpoints/policy now"
    assert checkpoints.standing(found) == found[:1]
    assert checkpoints.find(root, run.run_id).path.name == "policy"
