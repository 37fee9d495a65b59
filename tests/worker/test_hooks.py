"""Post-import hooks: called after the module's own code, once, and never in its way."""

from __future__ import annotations

import importlib
import sys
import threading
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from mosaic_worker import hooks, report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    exact, prefixes, meta = dict(hooks._exact), list(hooks._prefixes), list(sys.meta_path)
    known = set(sys.modules)
    yield tmp_path
    hooks._exact.clear()
    hooks._exact.update(exact)
    hooks._prefixes[:] = prefixes
    sys.meta_path[:] = meta
    for name in set(sys.modules) - known:
        if name.startswith("hooked_"):
            del sys.modules[name]


def test_a_hook_sees_the_finished_module(modules: Path) -> None:
    (modules / "hooked_a.py").write_text("x = 1\ny = x + 1\n")
    seen: list[Any] = []
    hooks.on_import("hooked_a", lambda module: seen.append(module.y))
    assert seen == []
    module = importlib.import_module("hooked_a")
    assert seen == [2]
    assert type(module.__spec__.loader).__name__ == "SourceFileLoader"  # type: ignore[union-attr]
    assert "exec_module" not in vars(module.__spec__.loader)  # type: ignore[union-attr]


def test_a_module_already_imported_is_hooked_at_once(modules: Path) -> None:
    (modules / "hooked_b.py").write_text("x = 1\n")
    importlib.import_module("hooked_b")
    seen: list[str] = []
    hooks.on_import("hooked_b", lambda module: seen.append(module.__name__))
    assert seen == ["hooked_b"]


def test_a_prefix_covers_a_family(modules: Path) -> None:
    package = modules / "hooked_family"
    package.mkdir()
    for name in ("__init__", "one", "two"):
        (package / f"{name}.py").write_text("")
    importlib.import_module("hooked_family.one")
    seen: list[str] = []
    hooks.on_import_prefix("hooked_family.", lambda module: seen.append(module.__name__))
    importlib.import_module("hooked_family.two")
    assert seen == ["hooked_family.one", "hooked_family.two"]


def test_a_hook_that_fails_does_not_fail_the_import(
    modules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (modules / "hooked_c.py").write_text("x = 1\n")

    def broken(module: ModuleType) -> None:
        raise RuntimeError("hook trouble")

    hooks.on_import("hooked_c", broken)
    assert importlib.import_module("hooked_c").x == 1
    assert "hook trouble" in capsys.readouterr().err


def test_a_module_that_fails_can_be_imported_again_and_is_then_hooked(modules: Path) -> None:
    file = modules / "hooked_d.py"
    file.write_text("raise ImportError('not today')\n")
    seen: list[str] = []
    hooks.on_import("hooked_d", lambda module: seen.append(module.__name__))
    with pytest.raises(ImportError, match="not today"):
        importlib.import_module("hooked_d")
    file.write_text("x = 12345\n")
    importlib.invalidate_caches()
    importlib.import_module("hooked_d")
    assert seen == ["hooked_d"]


def test_a_missing_module_is_still_missing(modules: Path) -> None:
    hooks.on_import("hooked_nowhere", lambda module: None)
    with pytest.raises(ModuleNotFoundError, match="hooked_nowhere"):
        importlib.import_module("hooked_nowhere")


def test_another_finder_of_our_kind_and_we_do_not_ask_each_other_for_ever(modules: Path) -> None:
    class Other:
        def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
            for finder in sys.meta_path:
                if finder is not self and (found := finder.find_spec(name, path, target)) is not None:
                    return found
            return None

    (modules / "hooked_f.py").write_text("x = 1\n")
    seen: list[str] = []
    hooks.on_import("hooked_f", lambda module: seen.append(module.__name__))
    sys.meta_path.insert(0, Other())
    assert importlib.import_module("hooked_f").x == 1
    assert seen == ["hooked_f"]


def test_two_threads_importing_at_once_run_the_hook_once(modules: Path) -> None:
    (modules / "hooked_e.py").write_text("import time\ntime.sleep(0.05)\nx = 1\n")
    seen: list[str] = []
    hooks.on_import("hooked_e", lambda module: seen.append(module.__name__))
    threads = [threading.Thread(target=importlib.import_module, args=("hooked_e",)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == ["hooked_e"]


def test_a_hook_module_that_cannot_be_loaded_is_left_out_and_said(
    modules: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Fake:
        noted: ClassVar[list[str]] = []

        def guard(self, where: str) -> report.guard:
            return report.guard(where)

        def note(self, text: str, level: str) -> None:
            self.noted.append(f"{level}: {text}")

    monkeypatch.setattr(hooks, "HOOK_MODULES", ("nonsense",))
    try:
        hooks.install_all(Fake())  # type: ignore[arg-type]
    finally:
        report.listen(lambda _: None)
    assert "hooks.nonsense" in capsys.readouterr().err
    assert Fake.noted[0].startswith("warning: hooks.nonsense failed")
