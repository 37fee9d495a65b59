"""Run folders: their records, locks, and the pure rules that turn what is seen into a state."""
