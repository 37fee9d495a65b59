"""Drivers: the code that trains and evaluates inside a worker, one module or package per framework.

`python -m mosaic_worker.drivers.NAME train|eval --algo A --env E … key=value …`. A driver holds only what
differs between frameworks: episodes, steps and logged numbers are recorded by the same hooks as for any
script. The framework is imported when the driver runs, never when it is imported.
"""
