"""The list of runs: filter, order, groups, and what can be done to the chosen ones."""
