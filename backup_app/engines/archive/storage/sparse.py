"""Sparse files in a tar: validation of their lists of extents."""

from array import array

from ....exceptions import EngineError
from .tar_headers import MAX_NUMBER

MAX_EXTENTS = 16_000_000  # of a file; each takes 16 bytes of memory
# Any user can make a file with exabytes of holes, and hashing takes seconds per gigabyte. A file
# with more bytes of holes than both limits gets no hash.
MAX_HOLES = 1024 * 1024 * 1024
HOLES_TO_DATA = 1000  # times the size of its data


def require_extents(extents: "array[int]", data: int, size: int) -> None:
    """Raise EngineError unless extents are in order, within the file, and hold all of its data."""
    place = read = 0
    for start, length in zip(extents[0::2], extents[1::2], strict=True):
        if start < place:
            raise EngineError("The tar has a sparse file whose extents overlap.")
        place, read = start + length, read + length
    if read != data or not place <= size <= MAX_NUMBER:
        raise EngineError(f"A sparse file has {read} bytes of content, not {data}.")


def number_of_extents(numbers: "array[int]") -> int:
    """Return the count that a list of extents begins with; raises EngineError if too large."""
    if not numbers or numbers[0] > MAX_EXTENTS:
        raise EngineError(f"The tar has a sparse file of more than {MAX_EXTENTS} extents.")
    count: int = numbers[0]
    return count


def is_nearly_empty(data: int, size: int) -> bool:
    """Return whether a sparse file has too many holes to be hashed."""
    return size - data > max(MAX_HOLES, HOLES_TO_DATA * data)
