"""Prints as much as it is told, in lines of 100 bytes."""

import sys

for _ in range(int(sys.argv[1])):
    sys.stdout.write("x" * 99 + "\n")
