"""The operator's files with the passwords of clients' database servers."""

import os
import stat
from pathlib import Path

from ....conf import conf
from ....exceptions import EngineError
from ....models import Client


def credentials_folder(client: Client) -> Path:
    """Return the folder of a client's credentials, which need not exist."""
    return conf.credentials_dir / str(client.pk)


def credentials_file(client: Client, name: str) -> Path | None:
    """Return a file of the client's folder; None if it does not exist.

    Raises EngineError if others than the service's user can read or change it.
    """
    path = credentials_folder(client) / name
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    except OSError as e:
        raise EngineError(f"The credentials '{path}' cannot be read: {e.strerror}.") from e
    if not stat.S_ISREG(status.st_mode):
        raise EngineError(f"The credentials '{path}' are not a file.")
    if status.st_mode & 0o077 or status.st_uid not in {0, os.geteuid()}:
        raise EngineError(
            f"The credentials '{path}' are not used, since others can read them: chmod 600 {path},"
            " and make the service's user their owner."
        )
    return path
