"""Volumes as a client that lies would have them written."""

import struct
import zlib
from pathlib import Path

HEADER = struct.Struct(">II")  # checksum of what follows it, length of the block with its header


def rename_in_volumes(volume: Path, old: bytes, new: bytes) -> None:
    """Give files other names of the same length, in blocks whose checksums are right."""
    data, found, place = bytearray(volume.read_bytes()), 0, 0
    assert len(old) == len(new)
    while place < len(data):
        checksum, length = HEADER.unpack_from(data, place)
        block = bytes(data[place + 4 : place + length])
        assert checksum in (0, zlib.crc32(block)), "The format of volumes is another."
        found += block.count(old)
        block = block.replace(old, new)
        data[place : place + length] = struct.pack(">I", zlib.crc32(block)) + block
        place += length
    assert found
    volume.write_bytes(data)
