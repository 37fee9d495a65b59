"""Operators as people name them: cards, and what a session's worker is told. Loads none of them."""
