"""The measurements: `make bench` prints a table and writes JSON. Ratios to a limit and a peer of the same run."""
