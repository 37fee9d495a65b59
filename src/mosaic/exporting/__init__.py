"""Handing a run on: tables in common formats, and whole runs as one file. Reads stores, never writes one in place."""
