"""A key map being changed: keys and what they mean, as texts, and what is wrong with them. Qt-free."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.app.keys import problems
from mosaic.errors import UsageError
from mosaic.protocol.hands import Binding, KeyMap
from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["KeyEditing", "KeyLine", "meaning_of"]

_AXIS = re.compile(r"axis\s*(\d+)\s*[: ]\s*([+-]?\d+(?:\.\d+)?)")
MOST_LINES = 64


@dataclass(frozen=True)
class KeyLine:
    """One line: keys, and what they mean as text."""

    keys: tuple[str, ...]
    means: str
    name: str = ""


def meaning_of(binding: Binding) -> str:
    """What keys mean, as it is typed: an action's JSON, or `axis 0: -1`."""
    if binding.axis is not None:
        return f"axis {binding.axis}: {binding.value:g}"
    return msgspec.json.encode(binding.action).decode()


class KeyEditing:
    """The lines of a key map, while somebody changes them.

    Args:
        keys: as they are.
        space: the action space they are for, as sessions describe it.
    """

    def __init__(self, keys: KeyMap, *, space: Mapping[str, Any] | None) -> None:
        self.changed: Signal[[]] = Signal()
        self._before, self._space = keys, space
        self.lines = [KeyLine(tuple(one.keys), meaning_of(one), one.name) for one in keys.bindings]

    def put(
        self,
        at: int,
        *,
        keys: tuple[str, ...] | None = None,
        means: str | None = None,
        name: str | None = None,
    ) -> None:
        """Change one line."""
        line = self.lines[at]
        self.lines[at] = replace(
            line,
            keys=line.keys if keys is None else keys,
            means=line.means if means is None else means,
            name=line.name if name is None else name,
        )
        self.changed.emit()

    def add(self) -> None:
        """One more line, empty; beyond 64 nothing happens."""
        if len(self.lines) < MOST_LINES:
            self.lines.append(KeyLine((), ""))
            self.changed.emit()

    def remove(self, at: int) -> None:
        """Take a line away."""
        del self.lines[at]
        self.changed.emit()

    def keys(self) -> KeyMap:
        """The key map the lines make.

        Raises:
            UsageError: a line cannot be one; says which, and why.
        """
        made = KeyMap(bindings=[self._binding(line) for line in self.lines], rest=self._before.rest)
        wrong = problems(made, self._space)
        if wrong:
            raise UsageError(wrong[0])
        return made

    @property
    def problem(self) -> str:
        """Why the lines cannot be kept; empty when they can."""
        try:
            self.keys()
        except UsageError as error:
            return str(error)
        return ""

    def _binding(self, line: KeyLine) -> Binding:
        text = line.means.strip()
        axis = _AXIS.fullmatch(text)
        if axis is not None:
            return Binding(keys=list(line.keys), axis=int(axis[1]), value=float(axis[2]), name=line.name)
        for known in self._before.bindings:
            if text and known.name.casefold() == text.casefold():
                return Binding(keys=list(line.keys), action=known.action, axis=known.axis, value=known.value,
                               name=line.name or known.name)  # fmt: skip
        try:
            action = msgspec.json.decode(text)
        except msgspec.DecodeError:
            told = ", ".join(dict.fromkeys(one.name for one in self._before.bindings if one.name))
            named = f" Known by name: {told}." if told else ""
            where = " + ".join(line.keys) or "A line without a key"
            raise UsageError(
                f"{where}: {text!r} is not an action. Write one as JSON, such as 2.{named}"
            ) from None
        return Binding(keys=list(line.keys), action=action, name=line.name)
