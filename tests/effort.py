"""How much processor time work takes, to compare with that of other work in the same run."""

import time
from collections.abc import Callable


def effort(work: Callable[[], object], times: int = 3) -> float:
    """Return the processor time that work takes, in seconds: the least of several times."""

    def once():
        start = time.thread_time()
        work()
        return time.thread_time() - start

    return min(once() for _ in range(times))
