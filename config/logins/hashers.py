"""The password hash, which is slow and large on purpose: a process computes few at once."""

import hmac
import secrets
import threading
import time
from collections import OrderedDict
from contextlib import contextmanager

from django.contrib.auth import hashers
from rest_framework.exceptions import Throttled

from backup_app.accounts import throttling

AT_ONCE = 2  # hashes, of 100 MB each
WAITING = 1  # so that one of four threads is left for requests that need no hash
WAIT = 1  # second, for a turn
KNOWN_WAIT = 10  # seconds, for a turn of callers known at their address
REMEMBERED = 3600  # seconds after its last use
MAX_REMEMBERED = 1000


class Argon2PasswordHasher(hashers.Argon2PasswordHasher):
    """Argon2 that raises Throttled instead of making many hashes at once.

    A password that was right is recognized without another hash while it is in use, so that clients
    that send it with every request are answered quickly, also while others guess.
    """

    parallelism = 1  # eight threads for each hash would crowd out all that needs no hash

    def encode(self, password, salt):
        with gate.turn():
            return super().encode(password, salt)

    def verify(self, password, encoded):
        is_right = remembered.has(password, encoded)
        if not is_right:
            with gate.turn():
                is_right = super().verify(password, encoded)
        if is_right:
            remembered.add(password, encoded)
        return is_right


class Gate:
    """Lets a few threads in at once and a few more wait for a moment; others get Throttled.

    Who logged in from the same address before may wait as one of any number, and longer: their
    requests may come several at once, and they are not those who guess.
    """

    def __init__(self, at_once, waiting, wait, patience):
        self.wait, self.patience = wait, patience
        self._inside = threading.BoundedSemaphore(at_once)
        self._admitted = threading.BoundedSemaphore(at_once + waiting)

    @contextmanager
    def turn(self):
        """Let the block run when it is its turn."""
        if throttling.is_known_caller():
            with self._entered(self._inside, self.patience):
                yield
        else:
            with self._entered(self._admitted, 0), self._entered(self._inside, self.wait):
                yield

    @contextmanager
    def _entered(self, semaphore, seconds):
        if not semaphore.acquire(timeout=seconds):
            raise Throttled(1, "Too many passwords are being checked.")
        try:
            yield
        finally:
            semaphore.release()


class Remembered:
    """Passwords that were right within the last hour, as digests by a key of this process.

    What is digested with a password is its stored hash: once that changes, nothing is recognized.
    """

    def __init__(self):
        self._key = secrets.token_bytes(32)
        self._expiries = OrderedDict()
        self._lock = threading.Lock()

    def has(self, password, encoded):
        with self._lock:
            return self._expiries.get(self._digest(password, encoded), 0) > time.monotonic()

    def add(self, password, encoded):
        digest = self._digest(password, encoded)
        with self._lock:
            self._expiries[digest] = time.monotonic() + REMEMBERED
            self._expiries.move_to_end(digest)
            while len(self._expiries) > MAX_REMEMBERED:
                self._expiries.popitem(last=False)

    def _digest(self, password, encoded):
        return hmac.digest(self._key, f"{encoded}\0{password}".encode(), "sha256")


gate = Gate(AT_ONCE, WAITING, WAIT, KNOWN_WAIT)
remembered = Remembered()
