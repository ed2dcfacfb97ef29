from collections import OrderedDict

from django.core.cache.backends import locmem


class Values(OrderedDict):
    """The pickled values of a cache, and the bytes of all together."""

    size = 0

    def __setitem__(self, key, value):
        self.size += len(value) - len(self.get(key, b""))
        super().__setitem__(key, value)

    def __delitem__(self, key):
        self.size -= len(self[key])
        super().__delitem__(key)

    def popitem(self, last=True):
        key = next(reversed(self) if last else iter(self))
        value = self[key]
        del self[key]
        return key, value

    def clear(self):
        super().clear()
        self.size = 0


class BoundedMemoryCache(locmem.LocMemCache):
    """A cache in the process's memory whose values take at most the option ``MAX_BYTES``.

    What was used least recently goes first, and a value that is larger is not kept at all.
    """

    def __init__(self, name, params):
        locmem._caches.setdefault(name, Values())
        super().__init__(name, params)
        self._max_bytes = int(params["OPTIONS"]["MAX_BYTES"])

    def _set(self, key, value, timeout=locmem.DEFAULT_TIMEOUT):
        super()._set(key, value, timeout)
        while self._cache.size > self._max_bytes:
            self._delete(next(reversed(self._cache)))
