"""The measurements: `make bench` prints a table and writes JSON, as ratios to a limit and a peer."""
