"""Adds a byte to a file, again and again: shows whether it is running."""

import sys
import time

for _ in range(6000):
    with open(sys.argv[1], "ab") as file:
        file.write(b".")
    time.sleep(0.01)
