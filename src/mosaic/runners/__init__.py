"""What MOSAIC knows of a framework without importing it: cards, environments, preflight, commands."""
