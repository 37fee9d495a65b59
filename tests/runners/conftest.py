"""Packages and wheels made on the spot."""

from __future__ import annotations

from tests.runners.stand_in import site, wheel

__all__ = ["site", "wheel"]
