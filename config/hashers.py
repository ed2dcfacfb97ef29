"""The password hash, which takes much time and memory on purpose: a process makes few at once."""

import hmac
import secrets
import threading
import time
from collections import OrderedDict

from django.contrib.auth import hashers
from rest_framework.exceptions import Throttled

AT_ONCE = 2  # of 100 MB each
WAITING = 1  # so that of four threads one is left to answer what needs no hash
WAIT = 1  # second
REMEMBERED = 3600  # seconds after its last use
MOST_REMEMBERED = 1000


class Argon2PasswordHasher(hashers.Argon2PasswordHasher):
    """Argon2 that raises Throttled instead of making many hashes at once.

    A password that was right is recognized without another hash while it is in use, so that clients
    that send it with every request are answered quickly, also while others guess.
    """

    parallelism = 1  # eight threads for each hash would crowd out all that needs no hash

    def encode(self, password, salt):
        with gate:
            return super().encode(password, salt)

    def verify(self, password, encoded):
        is_right = remembered.has(password, encoded)
        if not is_right:
            with gate:
                is_right = super().verify(password, encoded)
        if is_right:
            remembered.add(password, encoded)
        return is_right


class Gate:
    """Lets a few threads in at once and a few more wait for a moment; others get Throttled."""

    def __init__(self, at_once, waiting, wait):
        self.wait = wait
        self._inside = threading.BoundedSemaphore(at_once)
        self._admitted = threading.BoundedSemaphore(at_once + waiting)

    def __enter__(self):
        if not self._admitted.acquire(blocking=False):
            raise _busy()
        if not self._inside.acquire(timeout=self.wait):
            self._admitted.release()
            raise _busy()

    def __exit__(self, *exc):
        self._inside.release()
        self._admitted.release()


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
            while len(self._expiries) > MOST_REMEMBERED:
                self._expiries.popitem(last=False)

    def _digest(self, password, encoded):
        return hmac.digest(self._key, f"{encoded}\0{password}".encode(), "sha256")


def _busy():
    return Throttled(1, "Too many passwords are being checked.")


gate = Gate(AT_ONCE, WAITING, WAIT)
remembered = Remembered()
