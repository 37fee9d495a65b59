"""The Qt we run on: what every widget relies on."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject

CALLS = 500


def test_calls_into_qt_take_no_references_from_none() -> None:
    """A build of PySide6 that does ends the whole program after some hundred calls."""
    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        thing.setObjectName("a")
    assert sys.getrefcount(None) > before - CALLS // 2
