"""Where the processes meet: events, rows, run records and their encodings. Pure: no clock, file or thread."""
