"""Nothing outside `places/local` and `mosaic.runs` knows of pids, a run's locks or its order file.

The rule, over the syntax trees of the whole of `mosaic`:

- `places/local` is imported by the trainer alone, and of it only `LocalPlace`.
- Locks are imported where the lock is not a run's: the daemon's own, an environment's, that of a journal
  segment or a store.
- The daemon looks at a run's folder through a place only: it uses none of the functions that read or write
  the order, process and exit records, none of their structs, none of their fields, none of their file names.
  Whoever looks without a daemon asks `mosaic.runs`: `observe` and `judge`, or `ended`.
- No signal to a process by its number, but for children of one's own.

What is allowed stands below, each with its reason; what is allowed and not used is an error too.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mosaic

SRC = Path(mosaic.__file__).parent
LOCAL = "mosaic.daemon.places.local"
KNOWING = (
    "daemon/places/local/",  # how it is done on this machine
    "runs/",  # what a run's folder is, and how it shows its state
    "paths.py",  # what its files are called
    "protocol/runs.py",  # what its records hold
)
LOCK, HELD = "mosaic.runs.locks.Lock", "mosaic.runs.locks.held"
OBSERVE, JUDGE = "mosaic.runs.folder.observe", "mosaic.runs.lifecycle.judge"
ALLOWED = {
    "daemon/trainer.py": {f"{LOCAL}.place.LocalPlace"},  # the table of places
    "daemon/server.py": {LOCK, "mosaic.runs.locks.same_file"},  # the daemon's own
    "store/repair.py": {"mosaic.runs.locks"},  # one writer a store
    "daemon/appender.py": {LOCK},  # of a segment that the daemon writes itself
    "rpc/launch.py": {HELD},  # whether there is a daemon
    "cli/attend.py": {HELD},  # whether there is a daemon
    "app/reading.py": {HELD, OBSERVE, JUDGE},  # whether there is a daemon; if not, the folder is asked
    "app/run_index.py": {OBSERVE, JUDGE},  # the list of runs without a daemon
    "artifacts/checkpoints.py": {OBSERVE, JUDGE},  # runs that no daemon has listed yet
    "store/ingest.py": {"mosaic.runs.locks", "/proc", "boot_id"},  # one writer a store; which boot wrote it
    "store/sources.py": {"mosaic.runs.locks"},  # whether a segment still has its writer
    "fastlane/segment.py": {"mosaic_worker.common.ofd"},  # whether a lane of live frames has its writer
    "runners/building.py": {LOCK, "killpg"},  # one builder an environment; ends its own installer
    "runners/environments.py": {LOCK, HELD},  # whether an environment is being built
    "runners/children.py": {"killpg"},  # ends its own child
    "replay/child.py": {"killpg"},  # ends its own child
    "daemon/janitor.py": {"/proc"},  # a descriptor's own name there: opens up a folder, never through a link
    "runners/facts.py": {"/proc"},  # how much memory there is
    "app/hands.py": {"/proc"},  # a folder by its descriptor's name there: short enough for a socket's path
    "app/submitting.py": {"/proc"},  # the caller's umask
    "exporting/archive.py": {
        "control.json",
        "proc.json",
        "shim.lock",
        "tree.lock",
        "exit.json",
    },  # how each is packed
}
IMPORTS = (
    LOCAL,
    "mosaic.runs.locks",
    "mosaic.runs.lifecycle.Seen",
    "mosaic.runs.lifecycle.judge",
    "mosaic.protocol.runs.Control",
    "mosaic.protocol.runs.ProcRecord",
    "mosaic_worker.common.ofd",
    "psutil",
)
NAMES = {
    "read_control", "write_control", "read_proc", "read_exit", "shim_lock", "tree_lock",
    "shim_alive", "tree_alive", "shim_pid", "worker_pid", "worker_start_ticks", "boot_id", "proc", "control",
    "killpg", "pidfd_open", "pidfd_send_signal", "waitpid", "waitid", "fcntl", "lockf", "flock",
}  # fmt: skip
FUNCTIONS = {"os.kill", OBSERVE, JUDGE, LOCK, HELD}
FILES = ("control.json", "proc.json", "exit.json", "shim.lock", "tree.lock", "/proc")


def breaches(source: str, *, allowed: frozenset[str] | set[str] = frozenset()) -> list[str]:
    """What a module knows and should not."""
    tree = ast.parse(source)
    found: list[str] = []
    modules: dict[str, str] = {}  # by the name they have here
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # prose may name files
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            modules |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            found += [name for name in full if f"{name}.".startswith(tuple(f"{i}." for i in IMPORTS))]
            found += [alias.name for alias in node.names if alias.name in NAMES]
            found += [name for name in full if name in ("os.kill", OBSERVE)]
        elif isinstance(node, ast.Import):
            found += [a.name for a in node.names if f"{a.name}.".startswith(tuple(f"{i}." for i in IMPORTS))]
            found += [alias.name for alias in node.names if alias.name in NAMES]
        elif isinstance(node, ast.Attribute):
            base = node.value.id if isinstance(node.value, ast.Name) else ""
            function = f"{modules.get(base, base)}.{node.attr}"
            found += [node.attr] if node.attr in NAMES else [function] if function in FUNCTIONS else []
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            found += [name for name in FILES if name in node.value]
    # A module that is allowed is allowed with what is in it.
    return [name for name in found if not any(f"{name}.".startswith(f"{one}.") for one in allowed)]


MODULES = sorted(
    name
    for name in (path.relative_to(SRC).as_posix() for path in SRC.rglob("*.py"))
    if not name.startswith((*KNOWING, "rpc/pb/"))
)


def test_there_are_modules_to_look_at() -> None:
    assert {"daemon/trainer.py", "daemon/places/base.py", "store/ingest.py", "ui/window.py"} <= set(MODULES)
    assert not [name for name in MODULES if name.startswith("runs/")]


@pytest.mark.parametrize("module", MODULES)
def test_a_module_outside_the_local_place_knows_no_pid_lock_or_order_file(module: str) -> None:
    assert breaches((SRC / module).read_text(), allowed=ALLOWED.get(module, set())) == []


@pytest.mark.parametrize("module", ALLOWED)
def test_what_is_allowed_is_used(module: str) -> None:
    found = breaches((SRC / module).read_text())
    assert [
        one for one in ALLOWED[module] if not any(f"{name}.".startswith(f"{one}.") for name in found)
    ] == []


@pytest.mark.parametrize(
    "planted",
    [
        "import os\nos.kill(pid, 9)",
        "from os import kill",
        "import os\nos.killpg(pid, 9)",
        "from mosaic.runs.locks import Lock",
        "from mosaic.runs.locks import held",
        "import mosaic.runs.locks",
        "from mosaic.runs import locks",
        "held(run.folder.shim_lock)",
        "from mosaic.runs import folder as runs\nruns.write_control(folder, control)",
        "from mosaic.runs import folder as runs\nruns.observe(folder)",
        "from mosaic.runs.folder import observe",
        "from mosaic.runs import folder as run_folder\nrun_folder.observe(folder)",
        "from mosaic.runs import lifecycle\nlifecycle.judge(seen)",
        "folder.shim_lock.touch()",
        "from mosaic.runs.lifecycle import judge",
        "from mosaic.protocol.runs import Control, RunSpec",
        "run.sight.proc.worker_pid",
        "(folder.path / 'control.json').read_text()",
        "open(f'/proc/{number}/stat')",
        "from mosaic.daemon.places.local import processes",
        "from mosaic.daemon.places.local.orphans import members",
        "import mosaic.daemon.places.local.shim",
        "from mosaic_worker.common import ofd",
    ],
)
def test_a_planted_breach_is_found(planted: str) -> None:
    assert breaches(planted)


def test_what_is_allowed_is_allowed_only_there() -> None:
    source = (SRC / "daemon" / "trainer.py").read_text()
    assert breaches(source) == [f"{LOCAL}.place.LocalPlace"]


def test_prose_may_name_a_file() -> None:
    assert breaches('"""The shim obeys `control.json`."""') == []
