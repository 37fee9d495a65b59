"""The news, and how much of it is kept."""

from __future__ import annotations

from mosaic.ui.shell.model.toasts import Toasts


def test_news_is_told_at_once_and_only_so_much_is_kept() -> None:
    toasts = Toasts(keep=3)
    told: list[str] = []
    toasts.shown.connect(lambda toast: told.append(toast.text))
    for number in range(5):
        toasts.say(str(number), level="bad", action="Undo", secs=1.0)
    assert told == ["0", "1", "2", "3", "4"]
    assert [toast.text for toast in toasts.history] == ["2", "3", "4"]
    assert toasts.history[-1].action == "Undo"
