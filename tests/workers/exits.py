"""Ends with the exit code it is told, after a word on both streams."""

import sys

print("out")
print("err: about to leave", file=sys.stderr)
sys.exit(int(sys.argv[1]))
