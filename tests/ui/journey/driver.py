"""The real desktop program, with a hand in it: each line on stdin is Python, done on the window's thread.

The answer is one JSON line on stdout: `{"value": …}` or `{"error": …}`. Mouse and keys are put into the
window as the window system puts them: at a place, for whoever is there.
"""

from __future__ import annotations

import json
import queue
import sys
import threading
import traceback
import zlib
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget

from mosaic.paths import data_root
from mosaic.ui import app as program
from mosaic.ui.shell import layout
from mosaic.ui.shell.bridge import Bridge
from mosaic.ui.window import Window


def window() -> Window:
    """The one window."""
    (found,) = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, Window)]
    return found


def click(widget: QWidget, *, at: QPoint | None = None) -> None:
    """Press and release the mouse at a widget's place in the window. Whatever covers it gets the click."""
    if not widget.isVisible() or not widget.isEnabled():
        raise AssertionError(f"{widget.accessibleName() or widget} cannot be clicked: hidden or not able")
    top = widget.window()
    place = widget.mapTo(top, at or widget.rect().center())
    QTest.mouseClick(top.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)


def click_tab(part: QWidget) -> None:
    """Press the tab of a part of the window."""
    for tabs in (window().left_tabs, window().centre, window().right_tabs):
        pages = [tabs.widget(n) for n in range(tabs.count())]
        at = next(
            (n for n, page in enumerate(pages) if page is part or (page and page.isAncestorOf(part))), -1
        )
        if at >= 0:
            click(tabs.tabBar(), at=tabs.tabBar().tabRect(at).center())


def key(name: str, *held: str) -> None:
    """Press and release a key, e.g. `key("Right")` or `key("K", "Control")`."""
    modifiers = Qt.KeyboardModifier.NoModifier
    for one in held:
        modifiers |= Qt.KeyboardModifier[f"{one}Modifier"]
    QTest.keyClick(window().windowHandle(), Qt.Key[f"Key_{name}"], modifiers)


def keys(text: str) -> None:
    """Type a text."""
    for letter in text:
        QTest.keyClick(window().windowHandle(), letter)  # type: ignore[call-overload]


def pick(combo: QComboBox, text: str) -> None:
    """Choose an entry of a list by its keyboard: from the top, down to it."""
    combo.setFocus()
    at = combo.findText(text)
    if at < 0:
        raise AssertionError(f"no {text!r} among {[combo.itemText(i) for i in range(combo.count())]}")
    key("Home")
    for _ in range(at):
        key("Down")


def print_of(image: QImage | None) -> str:
    """A frame's fingerprint; empty for none."""
    if image is None or image.isNull():
        return ""
    whole = image.convertToFormat(QImage.Format.Format_RGB888)
    width = whole.width() * 3
    rows = [bytes(whole.constScanLine(y))[:width] for y in range(whole.height())]  # type: ignore[call-overload]
    return f"{whole.width()}x{whole.height()}:{zlib.crc32(b''.join(rows)):08x}"


def answer(line: str) -> dict[str, Any]:
    """Do one line of Python."""
    names = {**globals(), "w": window(), "c": window()._context, "remembered": layout.load}
    try:
        try:
            return {"value": eval(line, names)}
        except SyntaxError:
            exec(line, names)
            return {"value": None}
    except Exception:
        return {"error": traceback.format_exc()}


def listen() -> None:
    """Pass each line to the window's thread and its answer back."""
    while QApplication.instance() is None:
        threading.Event().wait(0.01)
    bridge, answers = Bridge(), queue.SimpleQueue[str]()
    bridge.moveToThread(QApplication.instance().thread())  # type: ignore[union-attr]
    for line in sys.stdin:
        bridge.post(lambda line=line: answers.put(json.dumps(answer(line), default=str)))  # type: ignore[misc]
        sys.stdout.write(answers.get() + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    threading.Thread(target=listen, daemon=True).start()
    sys.exit(program.main(data_root()))
