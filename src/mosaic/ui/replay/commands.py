"""The keys of a player, as actions on a replay. Decides nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.replay.model import DIGIT_SPEEDS
from mosaic.ui.shell.model.actions import Action

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.ui.replay.beside import Beside
    from mosaic.ui.replay.replaying import Replaying

__all__ = ["replay_commands"]

_SCOPE = "replay"
_MANY = 10


def replay_commands(
    replaying: Replaying,
    beside: Beside,
    *,
    export: Callable[[], object],
    go_on: Callable[[], object],
    full_screen: Callable[[], object],
    xray: Callable[[], object] = lambda: None,
) -> list[Action]:
    """Everything the keyboard can do with a replay.

    Args:
        replaying: what is replayed.
        beside: what is shown beside it.
        export: shows what writes the open episode to a file.
        go_on: shows who can go on from the step on screen.
        full_screen: puts the frame on the whole screen, and back.
        xray: shows what decisions were made of, and not.
    """
    transport = replaying.transport

    def opened() -> bool:
        return replaying.opened is not None

    def known() -> bool:
        return replaying.opened is not None and bool(replaying.opened.insights)

    def several_views() -> bool:
        return replaying.opened is not None and len(replaying.opened.views) > 1

    def some() -> bool:
        return len(replaying.book) > 0

    def can_be_two() -> bool:
        return beside.on or bool(beside.found)

    def play() -> None:
        """Play or pause; with nothing open, open the newest episode."""
        if replaying.projector is None:
            replaying.go_to(replaying.book.last)
        else:
            transport.toggle()

    def follow() -> None:
        replaying.set_follow(not replaying.follow)

    def act(
        name: str,
        title: str,
        keys: tuple[str, ...],
        call: Callable[[], object],
        when: Callable[[], bool] = opened,
        *,
        hidden: bool = False,
    ) -> Action:
        return Action(
            id=f"replay.{name}", title=title, keys=keys, call=call, when=when, scope=_SCOPE, hidden=hidden
        )

    return [
        act("play", "Play or pause", ("Space", "K"), play, some),
        act("forward", "One step on", ("Right", "."), lambda: transport.step(1)),
        act("back", "One step back", ("Left", ","), lambda: transport.step(-1)),
        act("forward_many", "Ten steps on", ("Shift+Right",), lambda: transport.step(_MANY)),
        act("back_many", "Ten steps back", ("Shift+Left",), lambda: transport.step(-_MANY)),
        act("next", "Next episode", ("Ctrl+Right",), lambda: replaying.go_beside(1), some),
        act("previous", "Previous episode", ("Ctrl+Left",), lambda: replaying.go_beside(-1), some),
        act("shuttle_forward", "Play on, faster each time", ("L",), lambda: transport.shuttle(1)),
        act("shuttle_back", "Play backwards, faster each time", ("J",), lambda: transport.shuttle(-1)),
        act("first", "First step", ("Home",), lambda: transport.seek(0)),
        act("last", "Last step", ("End",), lambda: transport.seek(transport.last)),
        act("follow", "Follow live", ("Alt+Right",), follow, lambda: True),
        act("slower", "Slower", ("<",), transport.slower),
        act("faster", "Faster", (">",), transport.faster),
        act("loop", "Begin again at the end", (), lambda: transport.set_loop(not transport.loop)),
        act("newest", "Replay the last episode", (), lambda: replaying.go_to(replaying.book.last), some),
        act("best", "Replay the best episode", (), lambda: replaying.go_to(replaying.book.best), some),
        act("worst", "Replay the worst episode", (), lambda: replaying.go_to(replaying.book.worst), some),
        act("export", "Export this episode", (), export),
        act("beside", "Original and branch side by side, or one", ("B",), beside.toggle, can_be_two),
        act("parting", "Where original and branch part", ("P",), beside.jump, lambda: beside.on),
        act("branch", "Let somebody go on from this step, as a new run…", ("G",), go_on),
        act("view", "Frame, scene or text", ("V",), replaying.choose_next_view, several_views),
        act("xray", "Policy: scores and value beside the frame", ("X",), xray, known),
        act("full", "Replay on the full screen", ("F",), full_screen),
        *(
            act(
                f"speed_{digit}",
                f"Speed {speed:g}",
                (str(digit),),
                lambda speed=speed: transport.set_speed(speed),  # type: ignore[misc]
                hidden=True,
            )
            for digit, speed in DIGIT_SPEEDS.items()
        ),
    ]
