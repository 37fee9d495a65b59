"""A scene as an SVG image: well-formed, complete without other files, and with a text to be heard."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from mosaic.render.painting import Circle, Fit, Path, Rectangle, Stroke, Words, paint
from mosaic.render.themes import LIGHT

if TYPE_CHECKING:
    from mosaic.render.painting import Command, Outline
    from mosaic.render.themes import Theme
    from mosaic_worker.common.scene import Scene

__all__ = ["FONTS", "element", "svg"]

FONTS = "DejaVu Sans, Segoe UI, Helvetica, Arial, sans-serif"
_BASELINE = (
    0.36  # of the size: from the middle of a letter down to its baseline, without asking for a feature
)


def svg(scene: Scene, *, cell: float = 48.0, theme: Theme = LIGHT) -> str:
    """The scene with `cell` pixels a cell."""
    at = Fit(0.0, 0.0, min(max(cell, 1.0), 1024.0))
    width, height = _number(scene.width * at.cell), _number(scene.height * at.cell)
    title = escape(scene.says.partition(".")[0] or "Scene")
    described = f"<desc>{escape(scene.says)}</desc>" if scene.says else ""
    drawn = "\n".join(element(command) for command in paint(scene, at, theme))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}">\n<title>{title}</title>{described}\n{drawn}\n</svg>\n'
    )


def element(command: Command) -> str:
    """One command as an element."""
    match command:
        case Rectangle(x, y, w, h, _, _, _, radius):
            corner = f' rx="{_number(radius)}"' if radius else ""
            box = f'x="{_number(x)}" y="{_number(y)}" width="{_number(w)}" height="{_number(h)}"'
            return f"<rect {box}{corner}{_style(command)}/>"
        case Circle(x, y, r):
            return f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(r)}"{_style(command)}/>'
        case Stroke(x, y, x2, y2, stroke, width, alpha):
            ends = f'x1="{_number(x)}" y1="{_number(y)}" x2="{_number(x2)}" y2="{_number(y2)}"'
            line = f' stroke="{stroke}" stroke-width="{_number(width)}" stroke-linecap="round"'
            return f"<line {ends}{line}{_faded(alpha)}/>"
        case Path(x, y, outline):
            where = f'transform="translate({_number(x)} {_number(y)})"'
            return f"<path {where} {_drawn(outline)}{_style(command)}/>"
        case Words(x, y, size, text, fill, bold, alpha):
            where = f'x="{_number(x)}" y="{_number(y + size * _BASELINE)}" font-size="{_number(size)}"'
            weight = ' font-weight="bold"' if bold else ""
            look = f'text-anchor="middle" font-family="{FONTS}"{weight} fill="{fill or "none"}"'
            return f"<text {where} {look}{_faded(alpha)}>{escape(text)}</text>"


@functools.lru_cache(maxsize=256)
def _drawn(outline: Outline) -> str:
    drawn = " ".join(
        "M" + " L".join(f"{_number(x)} {_number(y)}" for x, y in points) + ("Z" if outline.closed else "")
        for points in outline.polygons
    )
    ends = 'fill-rule="evenodd" stroke-linejoin="bevel"' if outline.closed else 'stroke-linecap="round"'
    return f'd="{drawn}" {ends}'


def _style(command: Rectangle | Circle | Path) -> str:
    line = ""
    if command.stroke:
        line = f' stroke="{command.stroke}" stroke-width="{_number(command.width)}"'
    return f' fill="{command.fill or "none"}"{line}{_faded(command.alpha)}'


def _faded(alpha: float) -> str:
    return f' opacity="{_number(alpha)}"' if alpha < 1 else ""


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
