"""SHA-256 of large data, computed while the caller goes on reading or writing."""

import hashlib
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self

WAITING = 4  # pieces, each of which stays in memory until it is hashed


class BackgroundHash:
    """A SHA-256 in a thread of its own; used as a context manager.

    Pieces must not change after ``update``. Short ones are better hashed by the caller.
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="sha256")
        self._waiting: deque[Future[None]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def update(self, piece: bytes | memoryview) -> None:
        """Add a piece; waits while too many are not hashed yet."""
        self._waiting.append(self._pool.submit(self._hash.update, piece))
        while len(self._waiting) > WAITING:
            self._waiting.popleft().result()

    def digest(self) -> bytes:
        """Return the hash of all pieces."""
        while self._waiting:
            self._waiting.popleft().result()
        return self._hash.digest()
