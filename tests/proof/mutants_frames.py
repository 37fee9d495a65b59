"""Deliberate breaks of the fast lane."""

from __future__ import annotations

from tests.proof.mutation import Mutant

_RING = "tests/fastlane/test_ring.py"

FRAME_MUTANTS = [
    Mutant(
        name="the sequence is not looked at again",
        guarantee="G14",
        file="mosaic/fastlane/ring.py",
        old="            if words[base >> 3] != before:",
        new="            if before & 1:",
        proof=f"{_RING}::test_no_frame_is_torn_however_often_the_writer_comes_between",
    ),
    Mutant(
        name="the header is rewritten in place",
        guarantee="G14",
        file="mosaic_worker/fastlane.py",
        old="        words[16] = number  # NEWEST_AT",
        new=(
            "        layout.RING.pack_into(memory, 0, layout.RING_MAGIC, layout.VERSION, self._count,\n"
            "            self._slots[1][0] - self._slots[0][0], length, os.getpid(), 0, process_start(),\n"
            "            1)\n"
            "        words[16] = number  # NEWEST_AT"
        ),
        proof=f"{_RING}::test_the_header_never_changes_whatever_is_published",
    ),
    Mutant(
        name="a frame's own length is believed",
        guarantee="G14",
        file="mosaic/fastlane/ring.py",
        old="                or length > self._pixel_bytes\n",
        new="",
        proof=f"{_RING}::test_ten_thousand_fuzzed_headers_crash_nothing",
    ),
    Mutant(
        name="a ring's own size is believed",
        guarantee="G14",
        file="mosaic/fastlane/ring.py",
        old="            or layout.SLOTS_AT + slots * slot_bytes != size\n",
        new="",
        proof=f"{_RING}::test_ten_thousand_fuzzed_headers_crash_nothing",
    ),
]
