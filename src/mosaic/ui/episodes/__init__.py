"""The episodes of the run in focus: sorted, filtered, followed."""
