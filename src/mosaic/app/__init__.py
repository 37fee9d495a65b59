"""What the command line, the SDK and the desktop share: plan, check, submit, evaluate, read, find runs."""
