"""Curves of the chosen runs, one chart per metric."""
