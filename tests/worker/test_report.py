"""What goes wrong in our code is said once, counted, and stopped."""

from __future__ import annotations

import pytest

from mosaic_worker import report


def test_a_guard_swallows_counts_and_reports_once(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        with report.guard("test place"):
            raise KeyError("oops")
    assert report.counts()["test place"] == 3
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "test place" in said
    assert "KeyError" in said


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_the_scripts_own_passes_through(error: type[BaseException]) -> None:
    with pytest.raises(error), report.guard("never counted"):
        raise error
    assert "never counted" not in report.counts()


def test_a_closed_stderr_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    report.once("nobody hears this")
