"""A policy is listed where it finally is, however it got there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.worker.stand_ins import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "rename",
    [
        "os.replace('tmp.pt', 'policy.pt')",
        "os.rename(src='tmp.pt', dst='policy.pt')",
        "os.renames('tmp.pt', 'policy.pt')",
        "shutil.move('tmp.pt', 'policy.pt')",
        "pathlib.Path('tmp.pt').replace('policy.pt')",
        "pathlib.Path('tmp.pt').rename(pathlib.Path('policy.pt'))",
        "os.rename(b'tmp.pt', os.path.abspath('policy.pt'))",
        "os.symlink('.', 'here'); os.rename('here/tmp.pt', 'policy.pt')",
    ],
)
def test_a_saved_file_is_followed_to_its_name(tmp_path: Path, rename: str) -> None:
    done = run(tmp_path, f"import os, pathlib, shutil\nimport torch\ntorch.save(1, 'tmp.pt')\n{rename}\n")
    assert done.returncode == 0, done.stderr
    first, last = done.of("checkpoint")
    assert (first["path"], last["path"]) == (str(tmp_path / "tmp.pt"), str(tmp_path / "policy.pt"))
    assert last["meta"] == {"renamed_from": first["path"]}
    assert (last["sha256"], last["kind"]) == (first["sha256"], "torch")
    assert done.hook_errors == {}


def test_a_move_to_another_file_system_is_followed(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import errno, os, shutil
        import torch
        def across(*args, **kwargs):
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        torch.save(1, "tmp.pt")
        os.rename = across
        shutil.move("tmp.pt", "policy.pt")
        """,
    )
    assert done.returncode == 0, done.stderr
    assert [(c["path"], c.get("meta")) for c in done.of("checkpoint")] == [
        (str(tmp_path / "tmp.pt"), None),
        (str(tmp_path / "policy.pt"), {"renamed_from": str(tmp_path / "tmp.pt")}),
    ]


def test_what_lies_in_a_folder_moves_with_it_and_a_copy_is_listed_as_well(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import os, shutil
        import torch
        os.makedirs("step.tmp/inner")
        torch.save(1, "step.tmp/inner/a.pt")
        os.rename("step.tmp", "step")
        shutil.copy2("step/inner/a.pt", "best.pt")
        """,
    )
    assert [c["path"] for c in done.of("checkpoint")] == [
        str(tmp_path / name) for name in ("step.tmp/inner/a.pt", "step/inner/a.pt", "best.pt")
    ]
    assert done.hook_errors == {}


def test_bytes_that_changed_before_the_rename_are_hashed_again(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import os
        import torch
        torch.save(1, "tmp.pt")
        with open("tmp.pt", "ab") as file:
            file.write(b"!")
        os.replace("tmp.pt", "policy.pt")
        """,
    )
    first, last = done.of("checkpoint")
    assert (first["bytes"], last["bytes"]) == (7, 8)
    assert first["sha256"] != last["sha256"]


def test_a_rename_that_fails_is_the_scripts_own_error_and_others_renames_are_not_listed(
    tmp_path: Path,
) -> None:
    done = run(
        tmp_path,
        """
        import os
        import torch
        open("other", "w").close()
        os.rename("other", "another")
        torch.save(1, "policy.pt")
        os.rename("another", "yet another")
        try:
            os.rename("policy.pt", "no/such/folder")
        except FileNotFoundError:
            print("caught")
        """,
    )
    assert "caught" in done.stdout
    assert [c["path"] for c in done.of("checkpoint")] == [str(tmp_path / "policy.pt")]


def test_a_folder_of_orbax_is_listed_when_it_has_its_name(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import os, pathlib
        writing = pathlib.Path("5.orbax-checkpoint-tmp-7")
        (writing / "d").mkdir(parents=True)
        (writing / "d" / "array").write_text("weights")
        (writing / "_METADATA").write_text("{}")
        writing.rename("5")
        """,
    )
    (found,) = done.of("checkpoint")
    assert (found["path"], found["kind"], found["bytes"]) == (str(tmp_path / "5"), "orbax", 9)
    assert found["meta"] == {"files": 2}


def test_an_item_of_a_checkpoint_of_orbax_is_part_of_it_and_not_listed_by_itself(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import pathlib
        whole = pathlib.Path("5.orbax-checkpoint-tmp-7")
        item = whole / "default.orbax-checkpoint-tmp-8"
        item.mkdir(parents=True)
        (item / "array").write_text("weights")
        item.rename(whole / "default")
        whole.rename("5")
        """,
    )
    (found,) = done.of("checkpoint")
    assert (found["path"], found["kind"], found["bytes"]) == (str(tmp_path / "5"), "orbax", 7)
