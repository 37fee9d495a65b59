"""One colour per run: the same everywhere, and never the same for two runs shown together. Qt-free."""

from __future__ import annotations

import colorsys
import zlib
from typing import TYPE_CHECKING

from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mosaic.ui.shell.model.selection import Selection

__all__ = ["DARK", "LIGHT", "Colours"]

LIGHT = ("#1668b8", "#b45309", "#15803d", "#7c3aed", "#be123c", "#0e7490", "#a21caf", "#57534e")
"""On a light ground: each at least 4.5 : 1 against white."""
DARK = ("#60a5fa", "#fbbf24", "#4ade80", "#a78bfa", "#fb7185", "#22d3ee", "#e879f9", "#d6d3d1")
"""On a dark ground, in the same order: each at least 4.5 : 1 against the dark theme's ground."""


class Colours:
    """Gives every run a slot in the palette.

    A run's favourite slot comes from its id, so that it is the same tomorrow. When another run that is shown
    has that slot, it takes the next free one; beyond the palette, more hues are made.

    Args:
        selection: the runs shown together; followed.
        keep: how many runs that are not shown are remembered; older ones get their favourite slot again.
    """

    def __init__(self, selection: Selection, *, keep: int = 1000) -> None:
        self.changed: Signal[[]] = Signal()
        """The ground changed: every colour is another one."""
        self.dark = False
        self._keep = keep
        self._slots: dict[str, int] = {}
        self._selection = selection
        selection.changed.connect(lambda: self.show(selection.chosen))

    def set_dark(self, dark: bool) -> None:
        """The ground is dark now, or light."""
        if dark != self.dark:
            self.dark = dark
            self.changed.emit()

    def of(self, run_id: str) -> str:
        """The run's colour on the ground there is, as `#rrggbb`."""
        if run_id not in self._slots:
            self._slots[run_id] = self._free(run_id, self._taken(self._selection.chosen))
            self._forget()
        return self.at(self._slots[run_id])

    def show(self, run_ids: Iterable[str]) -> None:
        """These are shown together: whoever came first keeps its slot, later ones give way."""
        taken: set[int] = set()
        for run_id in run_ids:
            slot = self._slots.get(run_id)
            if slot is None or slot in taken:
                slot = self._free(run_id, taken | self._taken(run_ids))
            self._slots[run_id] = slot
            taken.add(slot)
        self._forget()

    def at(self, slot: int) -> str:
        """The colour of one slot."""
        palette = DARK if self.dark else LIGHT
        if slot < len(palette):
            return palette[slot]
        hue = (slot * 0.618033988749895) % 1.0  # the golden ratio: each new hue is far from the last ones
        red, green, blue = colorsys.hls_to_rgb(hue, 0.68 if self.dark else 0.34, 0.65)
        return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"

    def _taken(self, run_ids: Iterable[str]) -> set[int]:
        return {self._slots[run_id] for run_id in run_ids if run_id in self._slots}

    def _free(self, run_id: str, taken: set[int]) -> int:
        favourite = zlib.crc32(run_id.encode()) % len(LIGHT)
        around = [(favourite + more) % len(LIGHT) for more in range(len(LIGHT))]
        for slot in around:
            if slot not in taken:
                return slot
        slot = len(LIGHT)
        while slot in taken:
            slot += 1
        return slot

    def _forget(self) -> None:
        shown = set(self._selection.chosen)
        for run_id in [one for one in self._slots if one not in shown][
            : max(0, len(self._slots) - self._keep)
        ]:
            del self._slots[run_id]
