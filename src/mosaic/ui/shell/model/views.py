"""Which view of an environment is on screen: as it is drawn, as a scene, or as text. Qt-free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FRAME", "SCENE", "TEXT", "TITLES", "Views", "offered"]

FRAME, SCENE, TEXT = "frame", "scene", "text"
TITLES = {FRAME: "Frame", SCENE: "Scene", TEXT: "Text"}


def offered(*, frames: bool, scenes: bool) -> tuple[str, ...]:
    """The views there are of an environment, the usual one first."""
    return ((FRAME,) if frames else ()) + ((SCENE, TEXT) if scenes else ())


class Views:
    """The views that were chosen, by environment.

    An environment may have several names (its id, its run while the id is not known): the first that is
    remembered counts.

    Args:
        most: how many are remembered; the one chosen longest ago goes first.
    """

    def __init__(self, *, most: int = 200) -> None:
        self.changed: Signal[[]] = Signal()
        self._most = most
        self._chosen: dict[str, str] = {}

    def of(self, names: Sequence[str], there: Sequence[str]) -> str:
        """The view of an environment, of those there are: the chosen one, else the first."""
        for name in names:
            if self._chosen.get(name) in there:
                return self._chosen[name]
        return there[0] if there else FRAME

    def choose(self, names: Sequence[str], view: str) -> None:
        """From now on this view, wherever the environment is shown."""
        if not names or view not in TITLES or self._chosen.get(names[0]) == view:
            return
        self._chosen.pop(names[0], None)
        self._chosen[names[0]] = view
        while len(self._chosen) > self._most:
            del self._chosen[next(iter(self._chosen))]
        self.changed.emit()

    def choose_next(self, names: Sequence[str], there: Sequence[str]) -> None:
        """The next of the views there are; after the last, the first."""
        if there:
            at = there.index(self.of(names, there))
            self.choose(names, there[(at + 1) % len(there)])

    @property
    def kept(self) -> dict[str, str]:
        """What is to be remembered."""
        return dict(self._chosen)

    def restore(self, kept: Mapping[str, str]) -> None:
        """What was remembered; what is no view is left out."""
        self._chosen = {name: view for name, view in kept.items() if view in TITLES}
        self.changed.emit()
