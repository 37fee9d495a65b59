"""Everything there is to say about the run in focus."""
