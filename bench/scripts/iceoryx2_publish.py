"""iceoryx2: what publishing a frame costs its producer, with one subscriber. Prints {bytes: microseconds}.

A subscriber that lets go of a sample at once hands its memory back at once: the next frame goes to the very
same place, which is still in the processor's cache (`{bytes}_one_place`). One that keeps the last few, as a
viewer of anything does, makes frames go round as many places as our ring has: that is the figure to compare.
"""

import ctypes
import json
import os
import statistics
import sys
import time
from collections import deque

import iceoryx2 as iox2  # type: ignore[import-not-found,unused-ignore]

_KEPT = 3  # with the one being written: the four slots of our ring


def main(sizes: list[int]) -> None:
    if hasattr(iox2, "set_log_level"):
        iox2.set_log_level(iox2.LogLevel.Fatal)
    node = iox2.NodeBuilder.new().create(iox2.ServiceType.Ipc)
    found = {}
    for size in sizes:
        name = iox2.ServiceName.new(f"mosaic-bench-{os.getpid()}-{size}")
        builder = node.service_builder(name).publish_subscribe(iox2.Slice[ctypes.c_uint8])
        service = builder.subscriber_max_borrowed_samples(_KEPT + 1).open_or_create()
        publisher = service.publisher_builder().initial_max_slice_len(size).create()
        subscriber = service.subscriber_builder().create()
        frame = (ctypes.c_uint8 * size)()
        ctypes.memmove(frame, os.urandom(size), size)  # memory that was never written is one page of zeros
        for label, count in ((str(size), _KEPT), (f"{size}_one_place", 0)):
            kept: deque[object] = deque(maxlen=count)
            taken = []
            for _ in range(max(50, min(2000, 40_000_000 // size))):
                began = time.perf_counter_ns()
                sample = publisher.loan_slice_uninit(size)
                ctypes.memmove(sample.payload_ptr, frame, size)
                sample.assume_init().send()
                taken.append(time.perf_counter_ns() - began)
                kept.append(subscriber.receive())
            found[label] = statistics.median(taken) / 1e3
    print(json.dumps(found))


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]])
