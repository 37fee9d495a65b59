"""Why a replay may have come out otherwise. Pure: what is known becomes a sentence; nothing is guessed."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["Facts", "likely"]

_SEEN = {
    "numpy": "it draws from numpy's global generator (np.random), which is not recorded; use self.np_random",
    "random": "it draws from Python's global generator (random), which is not recorded; use self.np_random",
    "torch": "it draws from torch's global generator, which is not recorded",
    "entropy": "it draws fresh randomness from the operating system; seed its generators in reset",
    "clock": "it reads the clock",
}
"""What the environment was seen to do while it was played again, by the name the child has for it."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about an environment and its replay.

    `made` is what the child said when it made the environment, `env` its recorded description, `reset` the
    recorded reset of the episode, `seen` what the child saw it do.
    """

    env: dict[str, Any] = {}
    made: dict[str, Any] = {}
    reset: dict[str, Any] = {}
    seen: list[str] = []


def likely(facts: Facts) -> str:
    """The causes that have something to be said for them, the likeliest first; empty when there is none."""
    found = [
        *_construction(facts),
        *_versions(facts.made.get("then") or {}, facts.made.get("now") or {}),
        *_state(facts),
        *(_SEEN[name] for name in facts.seen if name in _SEEN),
    ]
    return "; ".join(dict.fromkeys(found))


def _construction(facts: Facts) -> list[str]:
    found = [str(note) for note in facts.made.get("notes") or ()]
    lost = [
        *(facts.env.get("attributes_unrecorded") or ()),
        *(facts.reset.get("attributes_unrecorded") or ()),
    ]
    if lost:
        found.append(
            f"attributes the script changed are not plain data and were not recorded: {', '.join(lost)}"
        )
    changed = facts.made.get("source_changed")
    if changed:
        found.append(f"{changed} has changed since")
    return found


def _versions(then: dict[str, Any], now: dict[str, Any]) -> list[str]:
    return [
        f"{name} {then[name]} then, {now.get(name, 'none')} now"
        for name in then
        if then[name] != now.get(name)
    ]


def _state(facts: Facts) -> list[str]:
    rng = facts.reset.get("rng")
    if isinstance(rng, dict) and "ale" in (rng.get("lost") or ()):
        return ["this version of the emulator cannot say its state, so its own randomness was not kept"]
    if facts.reset.get("seeded") is None and rng is None and facts.reset.get("obs") is not None:
        return ["its reset had no seed, and it has no generator whose state could be recorded"]
    return []
