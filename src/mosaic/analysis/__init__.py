"""Curves as numbers: prepared, put on an axis, smoothed. Pure numpy; no file, no Qt, no gRPC."""
