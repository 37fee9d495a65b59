"""Nothing in the daemon outside `places/local` knows of pids, a run's locks or its order file.

The rule, over the syntax trees of `mosaic.daemon`:

- `places/local` is imported by the trainer alone, and of it only `LocalPlace`.
- Locks are imported where the lock is not a run's: the daemon's own (`server`), and that of a journal segment
  which the daemon writes itself (`appender`).
- No look at a run's folder but through a place: none of the functions that read or write its order, process
  and exit records, none of their structs, none of their fields, none of their file names.
- No signal to a process by its number. (Ingest is a child: its Popen object may be killed.)
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mosaic.daemon

DAEMON = Path(mosaic.daemon.__file__).parent
LOCAL = "mosaic.daemon.places.local"
ALLOWED = {
    "trainer.py": {f"{LOCAL}.place.LocalPlace"},
    "server.py": {"mosaic.runs.locks.Lock"},
    "appender.py": {"mosaic.runs.locks.Lock"},
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
CHAINS = {
    ("os", "kill"),
    ("runs", "observe"),
    ("folder", "observe"),
    ("lifecycle", "judge"),
    ("locks", "Lock"),
}
FILES = ("control.json", "proc.json", "exit.json", "shim.lock", "tree.lock", "/proc")


def breaches(source: str, *, allowed: frozenset[str] | set[str] = frozenset()) -> list[str]:
    """What a module knows and should not."""
    tree = ast.parse(source)
    found: list[str] = []
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # prose may name files
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name for name in full if f"{name}.".startswith(tuple(f"{i}." for i in IMPORTS))]
            found += [alias.name for alias in node.names if alias.name in NAMES]
            found += [name for name in full if name in ("os.kill", "mosaic.runs.folder.observe")]
        elif isinstance(node, ast.Import):
            found += [a.name for a in node.names if f"{a.name}.".startswith(tuple(f"{i}." for i in IMPORTS))]
            found += [alias.name for alias in node.names if alias.name in NAMES]
        elif isinstance(node, ast.Attribute):
            base = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr in NAMES or (base, node.attr) in CHAINS:
                found.append(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            found += [name for name in FILES if name in node.value]
    return [name for name in found if name not in allowed]


MODULES = sorted(
    path.relative_to(DAEMON) for path in DAEMON.rglob("*.py") if path.parent != DAEMON / "places" / "local"
)


def test_there_are_modules_to_look_at() -> None:
    assert {Path("trainer.py"), Path("decisions.py"), Path("places/base.py")} <= set(MODULES)


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_outside_the_local_place_knows_no_pid_lock_or_order_file(module: Path) -> None:
    allowed = ALLOWED.get(str(module), set())
    assert breaches((DAEMON / module).read_text(), allowed=allowed) == []


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
    source = (DAEMON / "trainer.py").read_text()
    assert breaches(source) == [f"{LOCAL}.place.LocalPlace"]


def test_prose_may_name_a_file() -> None:
    assert breaches('"""The shim obeys `control.json`."""') == []
