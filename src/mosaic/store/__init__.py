"""The index of a run, made from its journal; and the registry of runs. The only importer of SQLite."""
