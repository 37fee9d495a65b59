"""Qt view of the numbers of a continuous action: a slider for each, from one bound to the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider, QWidget

from mosaic.app.keys import axes_of
from mosaic.ui.shell.theme import GAP
from mosaic.ui.shell.widgets.controls import tool

if TYPE_CHECKING:
    from mosaic.app.keys import Axis
    from mosaic.ui.play.model.playing import Playing

__all__ = ["Sliders"]

_TICKS = 200
"""How finely a slider divides its range: one press of an arrow key is one two-hundredth of it."""
_MOST = 8
_FREE = 1.0  # how far a slider without bounds goes, to either side


class Sliders(QWidget):
    """Qt view of the sliders of a Playing. Under a tick they are held as they stand."""

    def __init__(self, playing: Playing) -> None:
        super().__init__()
        self.setAccessibleName("Numbers of the action")
        self._playing = playing
        self._axes: list[Axis] = []
        self.sliders: list[QSlider] = []
        self._values: list[QLabel] = []
        self._made: list[QWidget] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setColumnStretch(1, 1)
        self.send = tool("Do it", tip="Act once, as the sliders stand", act=playing.send_sliders)
        self.send.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._grid.addWidget(self.send, 0, 3, 2, 1)
        self.hide()

    def refresh(self) -> None:
        """Show the axes of the seat that is played."""
        playing = self._playing
        axes = axes_of(playing.space)[:_MOST] if playing.seat is not None else []
        if axes != self._axes:
            self._make(axes)
        self.setVisible(bool(axes))
        self.send.setVisible(playing.now is not None and playing.now.pace != "tick")
        for axis, slider, value in zip(self._axes, self.sliders, self._values, strict=True):
            now = playing.sliders.get(axis.at, axis.within(0.0))
            value.setText(f"{now:.2f}")
            if not slider.isSliderDown():
                slider.blockSignals(True)
                slider.setValue(_tick(axis, now))
                slider.blockSignals(False)

    def _make(self, axes: list[Axis]) -> None:
        for old in self._made:
            old.hide()
            old.deleteLater()
        self._axes, self.sliders, self._values, self._made = axes, [], [], []
        for line, axis in enumerate(axes):
            low, high = _range(axis)
            name = QLabel(f"Axis {axis.at} ({low:g} to {high:g})")
            slider = QSlider(Qt.Orientation.Horizontal)
            slider.setRange(0, _TICKS)
            slider.setAccessibleName(f"Axis {axis.at}, {low:g} to {high:g}")
            slider.setToolTip(f"One step of the slider is {(high - low) / _TICKS:g}")
            slider.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            slider.valueChanged.connect(lambda at, axis=axis: self._playing.slide(axis.at, _value(axis, at)))
            value = QLabel()
            for column, widget in enumerate((name, slider, value)):
                self._grid.addWidget(widget, line, column)
                self._made.append(widget)
            self.sliders.append(slider)
            self._values.append(value)


def _range(axis: Axis) -> tuple[float, float]:
    return (-_FREE if axis.low is None else axis.low, _FREE if axis.high is None else axis.high)


def _value(axis: Axis, tick: int) -> float:
    low, high = _range(axis)
    return low + (high - low) * tick / _TICKS


def _tick(axis: Axis, value: float) -> int:
    low, high = _range(axis)
    return round((value - low) / (high - low) * _TICKS) if high > low else 0
