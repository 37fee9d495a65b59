"""Handing a run on: tables in common formats, and whole runs as one file. Never writes a store in place."""
