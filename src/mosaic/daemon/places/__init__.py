"""Where runs are executed: `base` says what the trainer asks of a place, every other package is one place."""
