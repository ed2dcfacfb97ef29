"""A PostgreSQL cluster of a test's own, and streaming replicas of it."""

import contextlib
import getpass
import os
import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.prerequisites import need
from tests.support.waiting import free_port

# PostgreSQL does not run as root.
USER = "postgres" if os.geteuid() == 0 else getpass.getuser()
CONFIGURATION = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
"""


class Cluster:
    """A cluster in a new folder; ``url`` is that of its database ``postgres``."""

    def __init__(self, folder: Path, password: str) -> None:
        self.folder, self.port = folder, free_port()
        self.url = f"postgres://{USER}:{password}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        log, options = self.folder / "log", f"-p {self.port}"
        run("pg_ctl", f"--pgdata={self.folder}", f"--log={log}", "--options", options, "start")

    def stop(self) -> None:
        """Stop as in a crash, where connections break without a word."""
        run("pg_ctl", f"--pgdata={self.folder}", "--mode=immediate", "stop")

    def query(self, sql: str) -> list:
        import psycopg  # which is not needed on SQLite

        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql)
            return cursor.fetchall() if cursor.description else []


@contextlib.contextmanager
def running_pair():
    """Yield a primary and a streaming replica of it until the block ends."""
    need(find_program("initdb"), "of replicas", "apt install postgresql")
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as running:
        folder, password = Path(name), secrets.token_hex(16)
        shutil.chown(folder, USER)
        (folder / "password").write_text(password)
        shutil.chown(folder / "password", USER)
        primary, replica = (Cluster(folder / name, password) for name in ("primary", "replica"))
        login = ["--auth=scram-sha-256", f"--username={USER}", f"--pwfile={folder / 'password'}"]
        run("initdb", "--no-sync", *login, f"--pgdata={primary.folder}")
        with (primary.folder / "postgresql.conf").open("a") as file:
            file.write(CONFIGURATION)
        primary.start()
        running.callback(primary.stop)
        copied = ["--no-sync", "--checkpoint=fast", "--write-recovery-conf"]
        run("pg_basebackup", *copied, f"--dbname={primary.url}", f"--pgdata={replica.folder}")
        replica.start()
        running.callback(replica.stop)
        yield primary, replica


def run(program: str, *arguments: object) -> None:
    account = {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
    subprocess.run(  # noqa: S603 - PostgreSQL's own
        [find_program(program), *map(str, arguments)],
        cwd="/",
        stdout=subprocess.DEVNULL,  # of a pipe, a server would keep the other end
        stderr=subprocess.DEVNULL,
        check=True,
        **account,
    )


def find_program(name: str) -> str | None:
    """Return the path of a program of PostgreSQL, which Debian has in no PATH."""
    folders = sorted(Path("/usr/lib/postgresql").glob("[0-9]*/bin"), reverse=True)
    return shutil.which(name, path=os.pathsep.join([*map(str, folders), os.environ["PATH"]]))
