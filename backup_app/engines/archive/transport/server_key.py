"""The server's own SSH key, with which it logs in to clients."""

import os
import socket
import subprocess
import tempfile
from pathlib import Path

from ....conf import conf
from ....exceptions import EngineError
from ...shared.durable import sync_path


def keys_folder() -> Path:
    """Return the folder of the SSH keys, which only the service's user can enter."""
    folder = conf.root / "keys"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def private_key() -> Path:
    """Return the file of the server's private key; generated when it is first needed."""
    path = keys_folder() / "id_ed25519"
    if not path.exists():
        _generate(path)
    return path


def public_key() -> str:
    """Return the server's public key as a line: type, key and comment. Raises EngineError."""
    return _keygen("-y", "-f", str(private_key())).strip()


def fingerprint(key: str) -> str:
    """Return the SHA-256 fingerprint of a public key (type and key), as ``ssh`` shows it."""
    return _keygen("-l", "-f", "-", text=key + "\n").split()[1]


def _generate(path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = Path(folder) / path.name
        comment = f"backup@{socket.gethostname()}"
        _keygen("-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(made))
        sync_path(made)
        try:
            # Unlike a rename, link fails if the name exists: of two processes that generate a
            # key at the same time, both then use the first one.
            os.link(made, path)
        except FileExistsError:
            return
        sync_path(path.parent)


def _keygen(*arguments: str, text: str = "") -> str:
    try:
        done = subprocess.run(  # noqa: S603
            ["ssh-keygen", *arguments],  # noqa: S607
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
    except FileNotFoundError as e:
        raise EngineError("This server has no 'ssh-keygen': install openssh-client.") from e
    except subprocess.CalledProcessError as e:
        raise EngineError(f"ssh-keygen failed: {e.stderr.strip() or e.stdout.strip()}") from e
    return done.stdout
