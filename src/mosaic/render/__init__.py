"""Scenes for any painter: drawing commands in pixels, SVG, text, and what a click means. No Qt, no numpy."""
