"""Curves as numbers: prepared, placed on an axis, smoothed. Pure numpy; no file, no Qt, no gRPC."""
