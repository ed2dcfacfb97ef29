"""A SQLite database that ``migrate`` has made, once, for the processes that tests start."""

import atexit
import functools
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path


def copy_migrated(folder: Path) -> Path:
    """Put an empty database with all tables into a data folder; return its path."""
    return Path(shutil.copy(_migrated(), folder))


@functools.cache
def _migrated() -> Path:
    folder = tempfile.mkdtemp(prefix="migrated-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    environ = {"PATH": os.environ["PATH"], "DATA_DIR": folder, "ENV_FILE": os.devnull}
    command = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
    subprocess.run(command, env=environ, check=True)  # noqa: S603 - our own command
    path = Path(folder, "db.sqlite3")
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=DELETE")  # all of it in one file
    return path
