"""iceoryx2: what publishing a frame costs its producer, with one subscriber. Prints {bytes: microseconds}."""

import ctypes
import json
import os
import statistics
import sys
import time

import iceoryx2 as iox2  # type: ignore[import-not-found,unused-ignore]


def main(sizes: list[int]) -> None:
    if hasattr(iox2, "set_log_level"):
        iox2.set_log_level(iox2.LogLevel.Fatal)
    node = iox2.NodeBuilder.new().create(iox2.ServiceType.Ipc)
    found = {}
    for size in sizes:
        name = iox2.ServiceName.new(f"mosaic-bench-{os.getpid()}-{size}")
        service = node.service_builder(name).publish_subscribe(iox2.Slice[ctypes.c_uint8]).open_or_create()
        publisher = service.publisher_builder().initial_max_slice_len(size).create()
        subscriber = service.subscriber_builder().create()
        frame = (ctypes.c_uint8 * size)()
        taken = []
        for _ in range(max(50, min(2000, 40_000_000 // size))):
            began = time.perf_counter_ns()
            sample = publisher.loan_slice_uninit(size)
            ctypes.memmove(sample.payload_ptr, frame, size)
            sample.assume_init().send()
            taken.append(time.perf_counter_ns() - began)
            subscriber.receive()
        found[str(size)] = statistics.median(taken) / 1e3
    print(json.dumps(found))


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]])
