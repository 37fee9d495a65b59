"""Charts as files: PNG and SVG of what is shown, CSV of all values. Written off the window's thread."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QFileDialog

from mosaic.ui.charts.values_csv import write_csv

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from mosaic.ui.shell.context import Context

__all__ = ["ask_path", "export_csv", "export_png", "export_svg", "svg_of"]


def ask_path(parent: QWidget, *, suffix: str, take: Callable[[Path], None]) -> QFileDialog:
    """Ask where a file goes, without holding up the window."""
    dialog = QFileDialog(parent, f"Export charts as {suffix.upper()}", str(Path.home() / f"charts.{suffix}"))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilter(f"{suffix.upper()} (*.{suffix})")
    dialog.setDefaultSuffix(suffix)
    dialog.fileSelected.connect(lambda name: take(Path(name)))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog


def export_png(context: Context, widget: QWidget, path: Path) -> None:
    """An image of the charts, at twice the screen's resolution."""
    ratio = 2.0
    image = QImage(widget.size() * ratio, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(widget.palette().window().color())
    painter = QPainter(image)
    widget.render(painter, QPoint())
    painter.end()

    def work() -> None:
        if not image.save(str(path)):
            raise OSError(f"{path} could not be written. Choose another folder.")

    context.ops.run(work, done=lambda _: context.toasts.say(f"Saved {path}", level="good"))


def svg_of(widget: QWidget) -> bytes:
    """The charts as drawn, as SVG."""
    from PySide6.QtSvg import QSvgGenerator

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(widget.size()))
    generator.setViewBox(QRect(0, 0, widget.width(), widget.height()))
    generator.setTitle("MOSAIC charts")
    painter = QPainter(generator)
    widget.render(painter, QPoint())
    painter.end()
    return bytes(buffer.data().data())


def export_svg(context: Context, widget: QWidget, path: Path) -> None:
    """The charts as lines that stay sharp."""
    data = svg_of(widget)
    context.ops.run(
        lambda: path.write_bytes(data), done=lambda _: context.toasts.say(f"Saved {path}", level="good")
    )


def export_csv(context: Context, path: Path, *, names: dict[str, str], keys: tuple[str, ...]) -> None:
    """Every value, from the store."""
    context.ops.run(
        lambda: write_csv(path, context.root, names=names, keys=keys),
        done=lambda count: context.toasts.say(f"Saved {count:,} values to {path}", level="good"),
    )
