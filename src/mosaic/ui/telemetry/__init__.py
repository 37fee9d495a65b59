"""The last steps and episodes of the run in focus, as they come."""
