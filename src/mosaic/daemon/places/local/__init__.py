"""This machine: worker processes kept by shims, told apart by kernel locks, ordered by files.

Kept empty of code: the shim imports its siblings through this package and must load nothing else.
"""
