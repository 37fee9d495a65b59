"""Roles of a scene and their colours, on a light and on a dark ground. Pure.

A role that is not listed is painted as its first part (`piece.green` as `piece`), and at last as `ink`.
"""

from __future__ import annotations

__all__ = ["DARK", "LIGHT", "Theme", "colour_of"]

Theme = dict[str, str]
"""Role → `#rrggbb`."""

LIGHT: Theme = {
    "ink": "#1b1d21", "paper": "#ffffff", "label": "#5b616b", "focus": "#1668b8",
    "board.light": "#f2e3c6", "board.dark": "#b98a5e", "board.line": "#6b5233", "board.frame": "#2c62b0",
    "board.hole": "#e8eef7", "board.wood": "#e3bb76", "board.grid": "#5a4526", "board.label": "#5a4526",
    "piece": "#7a3e9d", "piece.white": "#fdfcf8", "piece.white.edge": "#33302b", "piece.black": "#35322f",
    "piece.black.edge": "#100f0e", "piece.black.line": "#a8a196", "piece.edge": "#4a4640",
    "piece.first": "#b3261e", "piece.second": "#1668b8",
    "piece.red": "#d8382e", "piece.red.edge": "#9c1f18", "piece.yellow": "#f5c518",
    "piece.yellow.edge": "#a87f00",
    "mark": "#1668b8", "mark.last": "#dcc64f", "mark.last.dot": "#1668b8", "mark.legal": "#22774a",
    "mark.check": "#e5654f", "mark.win": "#15181d",
    "goal": "#c9e9cd", "goal.sign": "#15703a", "start": "#d5def0", "hazard": "#2b4a73",
    "hazard.edge": "#7b1d12",
    "lava": "#ef7b3c", "ice": "#e4f0fa", "ground": "#efe7d6", "floor": "#f4f4f2", "wall": "#70757e",
    "grid.line": "#b7bfca", "agent": "#e06b1f", "agent.edge": "#7a3206", "person": "#7c3aed",
    "door.line": "#fafafa",
    "thing": "#5b616b", "thing.red": "#cf2f27", "thing.green": "#1e8449", "thing.blue": "#2469c4",
    "thing.purple": "#7c3aed", "thing.yellow": "#b98900", "thing.grey": "#6b7280",
    "button": "#fbfbfc", "button.edge": "#9aa1ab", "button.text": "#1b1d21",
}  # fmt: skip

DARK: Theme = {
    "ink": "#e6e8eb", "paper": "#17181a", "label": "#a2a9b4", "focus": "#7ab8ff",
    "board.light": "#c9b896", "board.dark": "#7d5f43", "board.line": "#4a3a26", "board.frame": "#274f8c",
    "board.hole": "#1a1f29", "board.wood": "#b18c52", "board.grid": "#2d2110", "board.label": "#2d2110",
    "piece": "#c4a0e0", "piece.white": "#f4f1ea", "piece.white.edge": "#211f1c", "piece.black": "#262422",
    "piece.black.edge": "#0a0a09", "piece.black.line": "#8f887d", "piece.edge": "#14120f",
    "piece.first": "#8e1a14", "piece.second": "#0f4f91",
    "piece.red": "#e0483e", "piece.red.edge": "#8d2019", "piece.yellow": "#f0c330",
    "piece.yellow.edge": "#8f6f0d",
    "mark": "#7ab8ff", "mark.last": "#b3a23c", "mark.last.dot": "#2f86e0", "mark.legal": "#2fbf71",
    "mark.check": "#cf4a35", "mark.win": "#ffffff",
    "goal": "#24482f", "goal.sign": "#6ee7a0", "start": "#343c4c", "hazard": "#142c52",
    "hazard.edge": "#7a2417",
    "lava": "#c2561d", "ice": "#3a4b5e", "ground": "#3a3730", "floor": "#1e1f22", "wall": "#6f757f",
    "grid.line": "#525a66", "agent": "#ff9d4d", "agent.edge": "#3d1a03", "person": "#c4a5ff",
    "door.line": "#17181a",
    "thing": "#a2a9b4", "thing.red": "#ff6b61", "thing.green": "#4ade80", "thing.blue": "#6aa9ff",
    "thing.purple": "#b794ff", "thing.yellow": "#f5c542", "thing.grey": "#9aa3af",
    "button": "#33363b", "button.edge": "#6b717b", "button.text": "#e6e8eb",
}  # fmt: skip


def colour_of(role: str, theme: Theme) -> str:
    """The colour of a role, or of the nearest part of it that the theme knows."""
    while role and role not in theme:
        role = role.rpartition(".")[0]
    return theme[role or "ink"]
