"""Tells whether an address is of this machine."""

import socket

from ..names import Bacula


def is_here(engine: Bacula, host: str) -> bool:
    """Return whether an address is this machine's, as the Director sees it."""
    return _is_own(host) and (not host.startswith("127.") or _is_own(engine.address))


def _is_own(host: str) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        # Only an address of this machine can be bound to; nothing is sent.
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((host, 0))
    except OSError:
        return False
    return True
