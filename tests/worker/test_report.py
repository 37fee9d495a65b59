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


def test_what_was_missed_is_counted_each_time_and_each_text_is_told_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told: list[str] = []
    report.listen(told.append)
    try:
        for text in ("the first kind", "the first kind", "another kind"):
            report.missed("test rewards", text)
    finally:
        report.listen(lambda _: None)
    assert report.counts()["test rewards"] == 3
    assert told == ["the first kind", "another kind"]
    assert capsys.readouterr().err == "mosaic: the first kind\nmosaic: another kind\n"


def test_a_listener_that_fails_harms_nobody() -> None:
    def broken(_: str) -> None:
        raise OSError("full")

    report.listen(broken)
    try:
        report.missed("test listener", "said to a broken listener")
    finally:
        report.listen(lambda _: None)
    assert report.counts()["test listener"] == 1
    assert report.counts()["noting a failure"] >= 1
