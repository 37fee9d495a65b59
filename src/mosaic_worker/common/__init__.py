"""What both sides of a run share: the only part of `mosaic_worker` that the workbench imports.

Standard library only, as everything in the worker's package; runs on Python 3.8.
"""
