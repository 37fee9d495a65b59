"""What the run in focus wrote."""
