"""A stand-in for the window: follows the list of runs, reads the store at each word of it, takes frames.

    viewer.py RUN HZ frames|numbers

It is ended by a signal. Its own processor time is the viewer's, not the recorder's.
"""

import sys
import threading
import time

from mosaic.app.run_index import find
from mosaic.fastlane.lane import Lease
from mosaic.fastlane.viewer import Viewer
from mosaic.paths import data_root
from mosaic.rpc.launch import connect
from mosaic.store.reader import StoreReader

text, hertz, what = sys.argv[1], float(sys.argv[2]), sys.argv[3]
root = data_root()
folder = root.run(find(root, text).run_id)
moved = threading.Event()


def follow() -> None:
    """Hear of every change of the run."""
    with connect(root) as client:
        for _ in client.watch_runs():
            moved.set()


def frames() -> None:
    """Take the live frames."""
    with Viewer(folder, lease=Lease(fps=hertz)) as viewer:
        while True:
            viewer.tick()
            viewer.frames()
            time.sleep(0.5 / hertz)


threading.Thread(target=follow, daemon=True).start()
if what == "frames":
    threading.Thread(target=frames, daemon=True).start()
print("WATCHING", flush=True)
cursor = 0
with StoreReader(folder) as reader:
    while moved.wait():
        moved.clear()
        rows, cursor = reader.steps_since(max(cursor, reader.summary().store_seq - 200), limit=200)
        time.sleep(1 / hertz)
