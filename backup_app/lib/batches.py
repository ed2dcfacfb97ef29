"""Lists of values that fit into a query."""

from collections.abc import Iterable, Iterator
from itertools import islice

BATCH = 5000  # SQLite takes 32,766 parameters


def batches(values: Iterable) -> Iterator[list]:
    """Yield values in lists that fit into a query."""
    iterator = iter(values)
    while batch := list(islice(iterator, BATCH)):
        yield batch
