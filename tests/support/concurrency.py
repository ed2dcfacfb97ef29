"""Calls at the same moment, each on a database connection of its own."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connections


def call_together(function, count):
    """Return what ``function(number)`` returns or raises for each number below count, in order.

    All calls begin together, in threads.
    """
    start = Barrier(count, timeout=60)

    def call(number):
        start.wait()
        try:
            return function(number)
        except Exception as e:  # noqa: BLE001 - the caller looks at it
            return e
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(call, range(count)))
