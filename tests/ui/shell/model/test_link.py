"""How the window stands with the daemon, in words."""

from __future__ import annotations

from mosaic.ui.shell.model.link import Link, LinkState


def test_it_waits_from_the_start_and_says_for_what() -> None:
    link = Link()
    assert link.state is LinkState.CONNECTING
    assert "Waiting for the daemon" in link.text


def test_a_daemon_that_dies_is_said_to_be_gone_until_it_answers_again() -> None:
    link, told = Link(), []
    link.changed.connect(lambda: told.append((link.state, link.text)))
    link.connect()
    link.lose("Runs go on.")
    link.connecting("Waiting…")
    assert (link.state, link.text) == (LinkState.LOST, "The daemon is gone; reconnecting… Runs go on.")
    link.connect()
    assert [state for state, _ in told] == [LinkState.CONNECTED, LinkState.LOST, LinkState.CONNECTED]
    assert (link.connected, link.text, link.losses) == (True, "", 1)


def test_one_that_never_came_is_not_said_to_be_gone() -> None:
    link = Link()
    link.lose("Attempt 2: no room.")
    assert link.state is LinkState.CONNECTING
    assert link.text == "No daemon yet. Attempt 2: no room."


def test_the_same_news_twice_is_told_once() -> None:
    link, told = Link(), []
    link.changed.connect(lambda: told.append(1))
    link.connect()
    link.connect()
    assert len(told) == 1
