"""The server's own SSH key, which its clients let in."""

import os
import socket
import subprocess
import tempfile
from pathlib import Path

from ....conf import conf
from ....exceptions import EngineError


def keys_folder() -> Path:
    """Return the folder of keys, which nobody else can enter."""
    folder = conf.root / "keys"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def private_key() -> Path:
    """Return the file of the server's private key; made when it is first needed."""
    path = keys_folder() / "id_ed25519"
    if not path.exists():
        _generate(path)
    return path


def public_key() -> str:
    """Return the server's public key as one line: type, key and comment."""
    return _keygen("-y", "-f", str(private_key())).strip()


def fingerprint(key: str) -> str:
    """Return the SHA-256 fingerprint of a public key (type and key), as ``ssh`` shows it."""
    return _keygen("-l", "-f", "-", text=key + "\n").split()[1]


def _generate(path):
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = Path(folder) / path.name
        comment = f"backup@{socket.gethostname()}"
        _keygen("-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(made))
        _sync(made)
        try:
            # A link is refused when the name is taken: of two processes that come here at the
            # same time, both then use the key of the first.
            os.link(made, path)
        except FileExistsError:
            return
        _sync(path.parent)


def _sync(path):
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _keygen(*arguments, text=None):
    try:
        done = subprocess.run(  # noqa: S603
            ["ssh-keygen", *arguments],  # noqa: S607
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            text=True,
            check=True,
        )
    except FileNotFoundError as e:
        raise EngineError("This server has no 'ssh-keygen': install openssh-client.") from e
    except subprocess.CalledProcessError as e:
        raise EngineError(f"ssh-keygen refused: {e.stderr.strip() or e.stdout.strip()}") from e
    return done.stdout
