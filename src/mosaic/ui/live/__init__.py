"""The run in focus as it is now: its newest frames."""
