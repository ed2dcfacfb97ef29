"""Sparse files in a tar: what their lists of extents may say."""

from array import array

from ....exceptions import EngineError
from .tar_headers import MAX_NUMBER

MAX_EXTENTS = 16_000_000  # of a sparse file; they are held in memory
# Any user can make a file of exabytes of zeros, which nobody has the time to hash.
MAX_HOLES = 1024 * 1024 * 1024  # of a sparse file, or
HOLES_TO_DATA = 1000  # times what it holds


def require_extents(extents: array, data: int, size: int) -> None:
    """Raise EngineError unless extents follow each other in a file and have all of its data."""
    place = read = 0
    for start, length in zip(extents[0::2], extents[1::2], strict=True):
        if start < place:
            raise EngineError("The tar has a sparse file whose extents overlap.")
        place, read = start + length, read + length
    if read != data or not place <= size <= MAX_NUMBER:
        raise EngineError(f"A sparse file has {read} bytes of content, not {data}.")


def number_of_extents(numbers: array) -> int:
    if not numbers or numbers[0] > MAX_EXTENTS:
        raise EngineError(f"The tar has a sparse file of more than {MAX_EXTENTS} extents.")
    return numbers[0]


def is_nearly_empty(data: int, size: int) -> bool:
    """Say whether a sparse file is too empty for its content to be hashed."""
    return size - data > max(MAX_HOLES, HOLES_TO_DATA * data)
