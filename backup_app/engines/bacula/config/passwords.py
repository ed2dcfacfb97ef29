"""The passwords of clients, which are not stored but derived from a key of this service."""

import hmac
import os
import secrets
import stat
import tempfile
from base64 import urlsafe_b64encode
from pathlib import Path

from ....conf import conf
from ....exceptions import EngineError
from ...shared.durable import sync, sync_path
from ..names import Bacula

SIZE = 32


def client_password(engine: Bacula, name: str) -> str:
    """Return the password that a Director and a client of ours share.

    Always the same, and a different one for each client and Director. Raises EngineError for a key
    that others can read.
    """
    told = f"{engine.director_name}\0{name}".encode()
    return urlsafe_b64encode(hmac.digest(_key(), told, "sha256")).decode().rstrip("=")


def key_file() -> Path:
    """Return the file of the key; with another key all clients need new passwords."""
    return conf.root / "keys" / "bacula"


def _key() -> bytes:
    path = key_file()
    try:
        if not path.exists():
            _generate(path)
        status = path.stat()
        key = path.read_bytes()
    except OSError as e:
        raise EngineError(f"The key '{path}' cannot be used: {e.strerror}.") from e
    if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise EngineError(f"The key '{path}' can be read by others, so it is not used: chmod 600.")
    if len(key) < SIZE:
        raise EngineError(f"The key '{path}' has {len(key)} bytes, fewer than {SIZE}.")
    return key


def _generate(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent) as made:  # mode 0600
        made.write(secrets.token_bytes(SIZE))
        sync(made)
        try:
            # Fails if the name exists, so that of two processes both use the key of the first.
            os.link(made.name, path)
        except FileExistsError:
            return
    sync_path(path.parent)
