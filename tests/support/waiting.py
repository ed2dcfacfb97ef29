"""Waiting for conditions, and ports on which nobody listens."""

import socket
import time


def wait_for(condition, seconds=60, pause=0.02):
    """Return what a condition gives once that is true."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} seconds"
        time.sleep(pause)
    return found


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
