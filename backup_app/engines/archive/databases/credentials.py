"""The operator's files with the passwords of clients' database servers."""

import os
import stat
from pathlib import Path

from ....conf import conf
from ....exceptions import EngineError


def credentials_folder(client) -> Path:
    """Return where the files of a client are, if there are any."""
    return conf.credentials_dir / str(client.pk)


def credentials_file(client, name: str) -> Path | None:
    """Return a file of the client's folder, None if it is not there.

    Raises EngineError when anybody but this service's user can read or change it.
    """
    path = credentials_folder(client) / name
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    except OSError as e:
        raise EngineError(f"The credentials '{path}' cannot be read: {e.strerror}.") from e
    if not stat.S_ISREG(status.st_mode):
        raise EngineError(f"The credentials '{path}' are no file.")
    if status.st_mode & 0o077 or status.st_uid not in {0, os.geteuid()}:
        raise EngineError(
            f"The credentials '{path}' can be read by others, so they are not used: "
            f"chmod 600 {path}, and they must belong to the service's user."
        )
    return path
