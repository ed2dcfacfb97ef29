from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.locmem import LocMemCache


class BoundedMemoryCache(LocMemCache):
    """A cache in the process's memory whose values take at most the option ``MAX_BYTES``.

    What was used least recently goes first, and a value that is larger is not kept at all.
    """

    def __init__(self, name, params):
        super().__init__(name, params)
        self._max_bytes = int(params["OPTIONS"]["MAX_BYTES"])

    def _set(self, key, value, timeout=DEFAULT_TIMEOUT):
        super()._set(key, value, timeout)
        size = sum(map(len, self._cache.values()))
        while size > self._max_bytes:
            oldest = next(reversed(self._cache))
            size -= len(self._cache[oldest])
            self._delete(oldest)
