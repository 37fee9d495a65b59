"""What is in the repository speaks of the project alone: no path of a machine, no package registry's host.

Whoever installs MOSAIC names the registry, by their own settings.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]

MACHINE = re.compile(r"(?<![\w.>)}\]-])/(?:root|work|Users|home/(?!me\b)\w+)/")
"""`/home/me` is what the documentation calls yours."""

# in pieces, so that this file does not name them
REGISTRIES = [
    "".join(pieces)
    for pieces in (
        ("py", "pi.org"),
        ("python", "hosted.org"),
        ("download.py", "torch.org"),
        ("npm", "js.org"),
        ("ana", "conda.org"),
    )
]


def texts() -> dict[str, str]:
    """Every tracked file that is text, by its name."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    found = {}
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        content = path.read_bytes() if path.is_file() else b"\0"
        if b"\0" not in content:
            found[name] = content.decode("utf-8")
    assert len(found) > 300
    return found


def test_no_tracked_file_names_a_path_of_a_machine() -> None:
    own = Path(__file__).relative_to(ROOT).as_posix()
    hits = [
        f"{name}: {line.strip()[:100]}"
        for name, text in texts().items()
        if name != own
        for line in text.splitlines()
        if MACHINE.search(line)
    ]
    assert hits == []


def test_no_tracked_file_names_a_registrys_host() -> None:
    hits = [
        f"{name}: {host}" for name, text in texts().items() for host in REGISTRIES if host in text.lower()
    ]
    assert hits == []


def test_the_patterns_find_what_they_are_for() -> None:
    for top in ("root", "work", "Users"):
        assert MACHINE.search(f'python = "/{top}/.venv/bin/python"')
        assert not MACHINE.search(f"tmp_path/{top}/train.py and {{root}}/{top}/x")
    assert MACHINE.search("see /home/ada/notes")
    assert not MACHINE.search("/home/me/venvs/rl/bin/python")
