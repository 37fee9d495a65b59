"""Where the checkout of our own scripts lies: written by ourselves, in the idiom of published ones."""

from __future__ import annotations

from pathlib import Path

__all__ = ["CHECKOUT"]

CHECKOUT = Path(__file__).parent / "checkout"
