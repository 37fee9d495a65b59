"""Scenes to paint: one of every primitive, and of real environments."""

from __future__ import annotations

from mosaic_worker.common.scene import Disc, Hot, Image, Line, Rect, Scene, Text

__all__ = ["ALL", "MOVES"]

ALL = Scene(
    4,
    2,
    (
        Rect(0, 0, 4, 2, "board.light"),
        Rect(0.5, 0.5, 1, 1, "", "wall", 0.1, 0.2),
        Disc(2.5, 0.5, 0.4, "piece.red", "piece.edge", 0.05),
        Disc(2.5, 1.5, 0.4, "", "mark.legal", 0.1, 0.5),
        Line(0, 1, 4, 1, "grid.line"),
        Text(3.5, 0.5, 0.5, "<b>&\"'", "ink", bold=True),
        Image(3.5, 1.5, 0.9, "knight", "piece.black", "piece.black.edge"),
        Image(0.5, 0.5, 0.9, "arrow", "agent", turn=1),
        Image(1.5, 1.5, 0.9, "unheard-of", "agent"),
    ),
    says="A scene <of> every kind. It has all.",
)
"""Each primitive, with and without fill, edge and turn."""

MOVES = Scene(
    3,
    2,
    (Rect(0, 0, 3, 2, "board.light"),),
    (
        Hot(0, 0, 3, 2, why="Nothing is there."),
        Hot(0, 0, 1, 1, 5, "one", mark=Disc(0.5, 0.5, 0.2, "mark.legal")),
        Hot(1, 0, 1, 1, why="It is full."),
        Hot(0, 1, 1, 1, why="It cannot go there.", to=(0, 0, 3, 2)),
        Hot(0, 1, 1, 1, why="It would be lost.", to=(1, 1, 1, 1)),
        Hot(0, 1, 1, 1, 7, "a to b", "", (2, 1, 1, 1), "queen", Disc(2.5, 1.5, 0.2, "mark.legal")),
        Hot(0, 1, 1, 1, 8, "a to b", "", (2, 1, 1, 1), "rook", Disc(2.5, 1.5, 0.2, "mark.legal")),
        Hot(0, 1, 1, 1, 9, "a to c", "", (2, 0, 1, 1), "", Disc(2.5, 0.5, 0.2, "mark.legal")),
    ),
    says="Moves.",
)
"""A click, a full cell, and a piece with two ways, one of them a choice."""
