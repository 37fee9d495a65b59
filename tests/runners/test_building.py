"""Environments built for real, from tiny wheels on a shelf; and installations that fail or are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from mosaic.errors import UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.cards import RunnerCard
from mosaic.runners import building, environments
from mosaic.runners.building import Complete
from mosaic.runs.locks import Lock, held
from tests.runners.stand_in import offer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Wheel = Callable[[str, str], str]

WAITS = """
import os, time
parent = os.getppid()
while not os.path.exists(os.environ["GO_ON"]) and os.getppid() == parent:
    open(os.environ["GO_ON"] + ".reached", "w").close()
    time.sleep(0.02)
"""
"""A package whose import waits for a file, so that an installation can be caught in the middle."""


def _card(*pins: str, imports: list[str] | None = None) -> RunnerCard:
    return RunnerCard(
        id="tiny", title="Tiny", requirements=list(pins), imports=imports or [], needs_env=False
    )


def _silent(text: str, fraction: float | None) -> None:
    del text, fraction


def test_an_environment_is_built_proved_and_marked_and_not_built_twice(home: Path, wheel: Wheel) -> None:
    card = _card(wheel("mosaic_tiny", "VALUE = 7\n"), imports=["mosaic_tiny"])
    root, said = DataRoot(home), []
    python = building.build(root, card, progress=lambda text, fraction: said.append((text, fraction)))
    assert environments.readiness(root, card).python == python
    code = "import mosaic_tiny, sys; print(mosaic_tiny.VALUE, sys.prefix)"
    out = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert out == ["7", str(environments.folder_of(root, card))]
    marker = environments.marker(environments.folder_of(root, card))
    assert msgspec.json.decode(marker.read_bytes(), type=Complete).pins == ["mosaic_tiny==1.0"]
    shown = [fraction for _, fraction in said if fraction is not None]
    assert shown == sorted(shown)
    assert shown[-1] == 1.0
    before = marker.stat().st_mtime_ns
    assert building.build(root, card, progress=_silent) == python
    assert marker.stat().st_mtime_ns == before
    building.build(root, card, progress=_silent, force=True)
    assert marker.stat().st_mtime_ns != before


@pytest.mark.timeout(300)  # pip unpacks itself first, and other tests run meanwhile
def test_without_uv_pip_does_it(home: Path, wheel: Wheel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "find_uv", lambda: None)
    card = _card(wheel("mosaic_tiny", ""), imports=["mosaic_tiny"])
    building.build(DataRoot(home), card, progress=_silent)
    marker = environments.marker(environments.folder_of(DataRoot(home), card))
    assert msgspec.json.decode(marker.read_bytes(), type=Complete).installer == "pip"


def test_a_requirement_that_is_nowhere_is_told_with_the_installers_words(home: Path, wheel: Wheel) -> None:
    wheel("mosaic_tiny", "")
    card = _card("mosaic_tiny==2.0")
    with pytest.raises(UsageError, match="mosaic.tiny"):
        building.build(DataRoot(home), card, progress=_silent)
    assert environments.readiness(DataRoot(home), card).state == "broken"


def test_what_was_installed_but_does_not_work_is_not_ready(home: Path, wheel: Wheel) -> None:
    card = _card(wheel("mosaic_tiny", "raise RuntimeError('half a package')"), imports=["mosaic_tiny"])
    with pytest.raises(UsageError, match="import mosaic_tiny: RuntimeError: half a package"):
        building.build(DataRoot(home), card, progress=_silent)
    assert environments.readiness(DataRoot(home), card).state == "broken"


def test_a_runner_that_needs_no_environment_is_refused(home: Path) -> None:
    with pytest.raises(UsageError, match="needs no environment"):
        building.build(DataRoot(home), _card(), progress=_silent)


def test_an_environment_that_cannot_make_its_default_env_is_not_proved(wheel: Wheel) -> None:
    del wheel
    card = RunnerCard(id="x", title="X", imports=["no_such_module"])
    with pytest.raises(UsageError, match="import no_such_module: ModuleNotFoundError"):
        building.prove(card, sys.executable)
    assert building.prove(RunnerCard(id="x", title="X"), sys.executable) == "CartPole-v1"


def test_a_killed_installation_is_broken_and_the_next_one_completes_it(
    home: Path, site: Path, wheel: Wheel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pin = wheel("mosaic_waits", WAITS)
    source = f"""
from mosaic.protocol.cards import RunnerCard
class Tiny:
    card = RunnerCard(
        id="tiny", title="Tiny", requirements=["{pin}"], imports=["mosaic_waits"], needs_env=False
    )
    def command(self, job, *, python):
        return [python, "-c", "pass"]
RUNNER = Tiny()
"""
    offer(site, "tiny", source)
    monkeypatch.setenv("GO_ON", str(tmp_path / "go"))
    command = [sys.executable, "-m", "mosaic", "runners", "install", "tiny"]
    card = _card(pin, imports=["mosaic_waits"])
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
        _until((tmp_path / "go.reached").exists)
        assert "being installed" in environments.readiness(DataRoot(home), card).text
        first.send_signal(signal.SIGKILL)
    _until(lambda: environments.readiness(DataRoot(home), card).state == "broken")
    (tmp_path / "go").touch()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "tiny: ready" in done.stdout
    assert environments.readiness(DataRoot(home), card).state == "ready"


def test_two_builders_take_turns_and_build_once(home: Path, wheel: Wheel, site: Path) -> None:
    pin = wheel("mosaic_tiny", "")
    offer(
        site,
        "tiny",
        f"""
from mosaic.protocol.cards import RunnerCard
class Tiny:
    card = RunnerCard(id="tiny", title="Tiny", requirements=["{pin}"], needs_env=False)
    def command(self, job, *, python):
        return []
RUNNER = Tiny()
""",
    )
    command = [sys.executable, "-m", "mosaic", "runners", "install", "tiny"]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    errors = [process.communicate(timeout=100)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], errors
    assert sum("creating the environment" in text for text in errors) == 1


def test_uv_is_told_where_pip_looks() -> None:
    found = building.installer_environment(
        {"PIP_FIND_LINKS": "/shelf", "PIP_INDEX_URL": "u", "UV_INDEX": "kept"}
    )
    assert (found["UV_FIND_LINKS"], found["UV_DEFAULT_INDEX"], found["UV_INDEX"]) == ("/shelf", "u", "kept")


def _until(happened: Callable[[], object]) -> None:
    until = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)


def test_the_constraint_holds_torch_only_where_it_is_asked_for() -> None:
    assert environments.pins(RunnerCard(id="x", title="X", torch=True, requirements=["a==1"])) == [
        environments.TORCH,
        "a==1",
    ]


def test_packages_are_added_to_what_is_there_and_remembered_when_it_is_built_anew(
    home: Path, wheel: Wheel
) -> None:
    root, card = DataRoot(home), _card(wheel("mosaic_tiny", ""), imports=["mosaic_tiny"])
    python = building.build(root, card, progress=_silent)
    wheel("mosaic_more", "")
    folder, said = environments.folder_of(root, card), []
    building.build(root, card, progress=lambda text, _: said.append(text), extras=["mosaic_more"])
    assert not any("creating" in text for text in said)
    subprocess.run([python, "-c", "import mosaic_tiny, mosaic_more"], check=True)
    building.build(root, card, progress=_silent, force=True)
    subprocess.run([python, "-c", "import mosaic_more"], check=True)
    marker = environments.marker(folder)
    assert msgspec.json.decode(marker.read_bytes(), type=Complete).extras == ["mosaic_more"]
    with pytest.raises(UsageError, match="mosaic.never"):
        building.build(root, card, progress=_silent, extras=["mosaic_never"])
    assert environments.readiness(root, card).state == "ready"
    environments.remove(root, card)
    assert list(folder.parent.glob("*.extras")) == []


def test_a_silent_installer_can_be_given_up_and_is_ended(tmp_path: Path) -> None:
    class GivenUpError(Exception):
        pass

    def progress(text: str, fraction: float | None) -> None:
        if not text:
            raise GivenUpError

    with Lock(tmp_path / "lock", inheritable=True) as lock, pytest.raises(GivenUpError):
        building._call(["sleep", "600"], dict(os.environ), lock, progress)


def test_an_installer_that_outlives_its_caller_keeps_the_next_one_waiting(home: Path, tmp_path: Path) -> None:
    lingers = (
        "import os, sys, time\n"
        "if os.fork(): sys.exit()\n"
        "os.close(1); os.close(2)\n"
        "until = time.monotonic() + 90\n"
        f"while not os.path.exists({str(tmp_path / 'go')!r}) and time.monotonic() < until: time.sleep(0.02)"
    )
    path = home / "x.lock"
    with Lock(path, inheritable=True) as lock:
        building._call([sys.executable, "-c", lingers], dict(os.environ), lock, _silent)
    assert held(path)
    (tmp_path / "go").touch()
    _until(lambda: not held(path))
