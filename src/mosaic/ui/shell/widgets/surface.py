"""Qt view of one environment: its frame, its scene, or the scene as text, one of them in front.

Clicks on a scene are told, not obeyed: whoever shows it decides whether they are actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QStackedWidget

from mosaic.render.text import plain
from mosaic.ui.shell.model.views import SCENE, TEXT
from mosaic.ui.shell.widgets.frame_view import FrameView
from mosaic.ui.shell.widgets.scene_view import SceneView

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from PySide6.QtGui import QImage

    from mosaic.ui.shell.widgets.frame_view import Zoom
    from mosaic_worker.common.scene import Scene

__all__ = ["Surface"]

_LARGER = 1.5  # a board of letters is looked at, not read


class Surface(QStackedWidget):
    """Shows what it was given last.

    Args:
        name: what is shown, for people who hear it.
    """

    clicked = Signal(int)
    """A hot area of the scene was chosen, by mouse or keyboard: its action."""
    refused = Signal(str)
    """A click was no legal move, and why."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.frame = FrameView(name)
        self.scene = SceneView(f"{name}, as a scene")
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        letters = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        letters.setPointSizeF(max(8.0, letters.pointSizeF()) * _LARGER)
        self.text.setFont(letters)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setAccessibleName(f"{name}, as text")
        for widget in (self.frame, self.scene, self.text):
            self.addWidget(widget)
        self.scene.chosen.connect(self.clicked)
        self.scene.refused.connect(self.refused)
        self._front: FrameView | SceneView | QPlainTextEdit = self.frame
        self.setFocusProxy(self.frame)

    @property
    def image(self) -> QImage | None:
        """What is shown, as an image; None while there is nothing."""
        if self._front is self.frame:
            return self.frame.image
        return None if self.scene.scene is None else self._front.grab().toImage()

    def show_pixels(self, pixels: npt.NDArray[np.uint8]) -> None:
        """Show this frame of (height, width, 3) bytes."""
        self.frame.show_pixels(pixels)
        self._bring(self.frame)

    def show_scene(self, scene: Scene, *, view: str = SCENE) -> None:
        """Show this scene, painted or as text."""
        self.scene.show_scene(scene)
        if view == TEXT:
            lines = plain(scene)
            if self.text.toPlainText() != lines:
                self.text.setPlainText(lines)
            self.text.setAccessibleDescription(scene.says)
        self._bring(self.text if view == TEXT else self.scene)

    def _bring(self, widget: FrameView | SceneView | QPlainTextEdit) -> None:
        if self._front is not widget:
            self._front = widget
            self.setCurrentWidget(widget)  # takes the focus along
            self.setFocusProxy(widget)

    def clear(self) -> None:
        """Show nothing."""
        self.frame.clear()
        self.scene.show_scene(None)
        self.text.clear()

    def set_playable(self, playable: bool) -> None:
        """Whether clicks on a scene are moves."""
        self.scene.set_playable(playable)

    def set_zoom(self, zoom: Zoom) -> None:
        """How large a frame is."""
        self.frame.set_zoom(zoom)

    def set_smooth(self, smooth: bool | None) -> None:
        """How a frame is scaled."""
        self.frame.set_smooth(smooth)

    def set_dimmed(self, dimmed: bool) -> None:
        """Whether what is shown is of the past."""
        self.frame.set_dimmed(dimmed)
