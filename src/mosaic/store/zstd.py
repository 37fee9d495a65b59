"""zstd for small pieces, with contexts of each thread's own: one context used by two threads garbles both.

A daemon reads stores on many threads at once, and zstandard lets go of the interpreter while it works.
"""

from __future__ import annotations

import threading

import zstandard

__all__ = ["Zstd"]


class Zstd(threading.local):
    """A pair of contexts, made anew in every thread that uses it.

    Args:
        level: How hard to try.
        magicless: Leave out what a reader who knows it is zstd does not need: four bytes and the checksum.
    """

    def __init__(self, *, level: int, magicless: bool = False) -> None:
        form = zstandard.FORMAT_ZSTD1_MAGICLESS if magicless else zstandard.FORMAT_ZSTD1
        parameters = zstandard.ZstdCompressionParameters.from_level(
            level, format=form, write_content_size=not magicless, write_checksum=False
        )
        self._compressor = zstandard.ZstdCompressor(compression_params=parameters)
        self._decompressor = zstandard.ZstdDecompressor(format=form)

    def compress(self, data: bytes) -> bytes:
        """The compressed piece."""
        return self._compressor.compress(data)

    def decompress(self, data: bytes | memoryview, *, max_output_size: int) -> bytes:
        """The piece again.

        Raises:
            zstandard.ZstdError: it is no such piece, or larger than allowed.
        """
        return self._decompressor.decompress(data, max_output_size=max_output_size)
