"""The only part of the worker package that the workbench imports too.

Standard library, Python 3.8; imports nothing else of `mosaic_worker`.
"""
