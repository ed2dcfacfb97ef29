"""Databases for tests, on the real servers of this machine."""

import contextlib
import itertools
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from tests.prerequisites import need

# Kept before a test changes where programs are looked for.
ENVIRONMENT = os.environ.copy()
PROGRAMS = {name: shutil.which(name) for name in ("mariadb", "runuser")}
count = itertools.count()

TABLE = "CREATE TABLE things (id int, label text)"
ONE_ROW = "INSERT INTO things VALUES (1, 'größer')"
TWO_ROWS = ONE_ROW + ", (2, 'two\nlines \\\\ '' ')"
THINGS = "SELECT * FROM things ORDER BY id"


class Mysql:
    """The MariaDB of this machine, as root through its socket, and for others on 127.0.0.1."""

    kind = "mysql"
    host, port = "127.0.0.1", "3306"

    def require(self):
        need(is_there("mysql"), "of MariaDB", "as root: apt install mariadb-server")

    def run(self, *sql, database="", check=True):
        """Execute statements as the administrator; return what they print."""
        command = ["mariadb", "--user=root", "--batch", "--skip-column-names"]
        command += ["--default-character-set=utf8mb4", f"--execute={'; '.join(sql)}", database]
        return _run(command, check)

    def query(self, name, sql):
        return self.run(sql, database=name)

    def write(self, name, *sql):
        """Change something in a database as its own user would."""
        self.run(*sql, database=name)

    def create(self, name, password):
        """Make a database and a user of the same name who may do everything with it."""
        self.run(
            f"CREATE DATABASE `{name}` CHARACTER SET utf8mb4",
            f"CREATE OR REPLACE USER `{name}`@`%` IDENTIFIED BY '{password}'",
            f"GRANT ALL ON `{name}`.* TO `{name}`@`%`",
        )

    def drop(self, name):
        """Drop a database, whose user stays."""
        self.run(f"DROP DATABASE IF EXISTS `{name}`")

    def remove(self, name):
        self.run(f"DROP DATABASE IF EXISTS `{name}`", f"DROP USER IF EXISTS `{name}`@`%`")

    def fill(self, name, megabytes):
        rows = f"SELECT REPEAT(MD5(seq), 32768) FROM seq_1_to_{megabytes}"  # noqa: S608
        self.write(name, "CREATE TABLE large (content longtext)", f"INSERT INTO large {rows}")

    def block(self, name):
        """Put something in the way of loading the table of things."""
        view = "CREATE VIEW things AS SELECT * FROM other"
        self.write(name, "CREATE TABLE other (id int)", "DROP TABLE things", view)

    def disconnect(self, user):
        self.run(f"KILL USER `{user}`@`%`")

    def write_credentials(self, folder, user, password):
        """Write what the operator would; return the file that has the password."""
        lines = f"user={user}\npassword={password}\nhost={self.host}\nport={self.port}"
        return [_secret(folder / "mysql.cnf", f"[client]\n{lines}\n")]

    def write_administrator(self, folder):
        """Write credentials by which root is let in on this machine, whatever the database."""
        return [_secret(folder / "mysql.cnf", "[client]\nuser=root\nhost=localhost\n")]


class Postgresql:
    """The PostgreSQL of this machine, as its user postgres, and for others on 127.0.0.1."""

    kind = "postgresql"
    host, port = "127.0.0.1", "5432"

    def require(self):
        need(is_there("postgresql"), "of dumps of PostgreSQL", "as root: apt install postgresql")

    def run(self, *sql, database="postgres", check=True):
        command = ["runuser", "-u", "postgres", "--", "psql", "--no-psqlrc", "--quiet"]
        command += ["--tuples-only", "--no-align", "--field-separator=\t"]
        command += [f"--dbname=dbname='{database}'", "--set=ON_ERROR_STOP=1"]
        command += [f"--command={each}" for each in sql]
        return _run(command, check)

    def query(self, name, sql):
        return self.run(sql, database=name)

    def write(self, name, *sql):
        self.run(f'SET ROLE "{name}"', *sql, database=name)

    def create(self, name, password):
        role = f"CREATE ROLE \"{name}\" LOGIN PASSWORD '{password}'"
        self.run(role, f'CREATE DATABASE "{name}" OWNER "{name}"')

    def drop(self, name):
        self.run(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def remove(self, name):
        drop = f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'
        self.run(drop, f'DROP ROLE IF EXISTS "{name}"')

    def fill(self, name, megabytes):
        rows = f"SELECT repeat(md5(n::text), 32768) FROM generate_series(1, {megabytes}) n"  # noqa: S608
        self.write(name, "CREATE TABLE large (content text)", f"INSERT INTO large {rows}")

    def block(self, name):
        view = "CREATE VIEW view_of_things AS SELECT * FROM things"
        self.write(name, "CREATE TABLE other (id int)", view)

    def disconnect(self, user):
        connections = f"pg_stat_activity WHERE usename = '{user}'"
        self.run(f"SELECT pg_terminate_backend(pid) FROM {connections}")  # noqa: S608

    def write_credentials(self, folder, user, password):
        login = f"user={user}\nhost={self.host}\nport={self.port}"
        return [
            _secret(folder / "pg_service.conf", f"[client]\n{login}\n"),
            _secret(folder / "pgpass", f"*:*:*:*:{password}\n"),
        ]

    def write_administrator(self, folder):
        login = f"user=postgres\nhost={self.host}\nport={self.port}"
        return [_secret(folder / "pg_service.conf", f"[client]\n{login}\n")]


SERVERS = {server.kind: server for server in (Mysql(), Postgresql())}


@cache
def is_there(kind: str) -> bool:
    return SERVERS[kind].run("SELECT 1", check=False) is not None


@contextlib.contextmanager
def database(kind: str):
    """Make a database and a user of the same name for it; yield the name."""
    server = SERVERS[kind]
    server.require()
    name = f"backup-test-{os.getpid()}-{next(count)}"
    try:
        server.create(name, f"secret of {name}")
        yield name
    finally:
        server.remove(name)


def _run(command, check):
    """Return what a program prints; without ``check`` None if it is missing or fails."""
    program = PROGRAMS[command[0]]
    if program is None and not check:
        return None
    done = subprocess.run(
        [program, *command[1:]],
        capture_output=True,
        text=True,
        cwd="/",
        env=ENVIRONMENT,
        check=check,
    )
    return done.stdout if done.returncode == 0 else None


def _secret(path: Path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o600)
    return path
