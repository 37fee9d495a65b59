"""Nothing opens a file of a run's folder but through `mosaic_worker.common.opening`.

Over the syntax trees of `mosaic` and `mosaic_worker`: whoever calls `open`, `os.open`, `Path.read_bytes` and
the like stands below, with what it opens instead. What is allowed and not used is an error too.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

import mosaic

SRC = Path(mosaic.__file__).parents[1]
CALLS = {"open", "read_bytes", "read_text", "write_bytes", "write_text", "touch"}
ALLOWED = {
    "mosaic_worker/common/opening.py": "the layer itself",
    # Of nobody's run: the system's, the data root's own, the user's.
    "mosaic/app/hands.py": "a run's folder itself, to reach its socket by",
    "mosaic/app/plans.py": "the user's plan",
    "mosaic/app/submitting.py": "/proc/self/status",
    "mosaic/artifacts/contents.py": "a checkpoint anywhere: the list of what is in it",
    "mosaic/artifacts/trust.py": "a checkpoint anywhere, checked as the layer does; our own marks of trust",
    "mosaic/cli/checks.py": "daemon.json",
    "mosaic/cli/output.py": "/dev/null",
    "mosaic/cli/watch.py": "the picture that the user asked for",
    "mosaic/daemon/__main__.py": "daemon.log and /dev/null",
    "mosaic/daemon/auth.py": "the token",
    "mosaic/daemon/janitor.py": "a folder of the bin, without entering it (O_PATH)",
    "mosaic/daemon/places/local/orphans.py": "/proc",
    "mosaic/daemon/places/local/processes.py": "/proc",
    "mosaic/daemon/places/local/shim.py": "/dev/null; its own last words, when the layer cannot be imported",
    "mosaic/exporting/formats.py": "the file that is exported",
    "mosaic/exporting/pack.py": "the pack; what goes into it",
    "mosaic/exporting/tensorboard.py": "the file that is exported",
    "mosaic/exporting/unpack.py": "the pack, and the new folder that it is unpacked into",
    "mosaic/exporting/video.py": "the film that is exported",
    "mosaic/fastlane/segment.py": "shared memory, checked as the layer does",
    "mosaic/operators/own.py": "the user's list of actions",
    "mosaic/rpc/client.py": "the token",
    "mosaic/rpc/generate.py": "our own source",
    "mosaic/runners/building.py": "an environment's list of extras",
    "mosaic/runners/facts.py": "/proc and cgroups",
    "mosaic/runners/own/cleanrl.py": "scripts of the user's checkout",
    "mosaic/runs/keeper.py": "/proc",
    "mosaic/runs/script.py": "the user's script",
    "mosaic/settings.py": "settings.toml",
    "mosaic/store/ingest.py": "/proc: which start of the machine this is",
    "mosaic/ui/charts/export.py": "the picture that the user asked for",
    "mosaic/ui/charts/values_csv.py": "the table that the user asked for",
    "mosaic/worker_site.py": "our own source, and its copy in the data root",
    # In the worker: files that it makes itself, or that the user names.
    "mosaic_worker/drivers/cleanrl/launcher.py": "the user's script",
    "mosaic_worker/drivers/kit/loading.py": "the checkpoint that the user named",
    "mosaic_worker/drivers/kit/saving.py": "the checkpoint that it makes",
    "mosaic_worker/fastlane.py": "shared memory that it makes; /proc",
    "mosaic_worker/hooks/children.py": "the first line of a program that the script starts",
    "mosaic_worker/hooks/describe.py": "the source of an environment",
    "mosaic_worker/listing.py": "the checkpoint that the script saved",
    "mosaic_worker/operators/seating.py": "the user's list of actions",
    "mosaic_worker/standard_files.py": "/dev/null",
    "mosaic_worker/replay/branch.py": "the plan of a branch",
    "mosaic_worker/replay/build.py": "the source of an environment",
    "mosaic_worker/replay/script.py": "the user's script",
    "mosaic_worker/segment.py": "the segment that it makes",
    "mosaic_worker/session/hands.py": "its run's folder itself, to make its socket in",
}


def opens(source: str) -> list[str]:
    """The calls of a module that open a file by themselves."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.Call, ast.Attribute)):
            continue
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and (node.value.id, node.attr) == ("os", "open"):
                found.append("os.open")
        elif isinstance(node.func, ast.Name) and node.func.id == "open":
            found.append("open")
        elif isinstance(node.func, ast.Attribute) and node.func.attr in CALLS - {"open"}:
            found.append(node.func.attr)
        elif _is_path_open(node):
            found.append("Path.open")
    return found


def _is_path_open(call: ast.Call) -> bool:
    """`x.open("rb")`: with a mode, so neither a dialog nor a database is meant."""
    first = call.args[0] if call.args else None
    return (
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "open"
        and isinstance(first, ast.Constant)
        and isinstance(first.value, str)
        and set(first.value) <= set("rwxab+t")
    )


MODULES = sorted(
    path.relative_to(SRC).as_posix()
    for path in [*SRC.glob("mosaic/**/*.py"), *SRC.glob("mosaic_worker/**/*.py")]
    if "/pb/" not in path.as_posix()
)


@pytest.mark.parametrize("module", [module for module in MODULES if module not in ALLOWED])
def test_a_module_opens_a_runs_files_through_the_one_layer(module: str) -> None:
    assert Counter(opens((SRC / module).read_text())) == {}


@pytest.mark.parametrize("module", ALLOWED)
def test_what_is_allowed_is_used(module: str) -> None:
    source = (SRC / module).read_text()
    assert opens(source) or ".open(" in source


@pytest.mark.parametrize(
    "planted",
    [
        "open(folder.exit)",
        "import os\nos.open(path, os.O_RDONLY)",
        "folder.manifest.read_bytes()",
        "folder.stderr.read_text()",
        "with path.open('rb') as file: pass",
        "folder.shim_lock.touch()",
        "import functools, os\nmine = functools.partial(os.open, mode=0o600)",
    ],
)
def test_a_planted_breach_is_found(planted: str) -> None:
    assert opens(planted)
