"""The desktop, the only importer of Qt. `shell` is what all parts share; every other folder is one part."""
