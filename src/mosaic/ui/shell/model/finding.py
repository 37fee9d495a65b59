"""Finding things by a few of their letters: what the palette does with what is typed. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["best", "score"]

T = TypeVar("T")


def score(typed: str, text: str) -> int | None:
    """How well the typed letters fit, in order, into the text; None when they do not. Higher is better.

    Letters in one piece and letters at the start of a word count more; blanks are not needed.
    """
    wanted, there = typed.casefold().replace(" ", ""), text.casefold()
    if not wanted:
        return 0
    whole = there.find(typed.casefold().strip())
    points = (
        0 if whole < 0 else 60 - min(whole, 20) + (20 if whole == 0 or not there[whole - 1].isalnum() else 0)
    )
    at, last = 0, -2
    for letter in wanted:
        at = there.find(letter, at)
        if at < 0:
            return None
        points += 5 if at == last + 1 else 0
        points += 8 if at == 0 or not there[at - 1].isalnum() else 0
        last, at = at, at + 1
    return points * 10 - min(len(there), 99) // 10


def best(typed: str, things: Iterable[T], *, text: Callable[[T], str], most: int = 50) -> list[T]:
    """Those that fit, best first; equal ones stay in their order."""
    scored = [(score(typed, text(thing)), thing) for thing in things]
    fitting = [(points, thing) for points, thing in scored if points is not None]
    fitting.sort(key=lambda pair: -pair[0])
    return [thing for _, thing in fitting[:most]]
