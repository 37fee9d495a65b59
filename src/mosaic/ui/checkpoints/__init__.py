"""Checkpoints, and what can be done with each."""
