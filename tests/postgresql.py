"""New databases on the PostgreSQL that tests were given."""

import contextlib
import os
import secrets
from urllib.parse import urlsplit


def find_server() -> str:
    """Return the address of a server whose role may make databases; "" without any."""
    return os.environ.get("DATABASE_URL") or os.environ.get("CATALOG_SERVER", "")


@contextlib.contextmanager
def new_database():
    """Make an empty database until the block ends; yield its address."""
    import psycopg  # which is not needed on SQLite

    name = f"test-{os.getpid()}-{secrets.token_hex(4)}"
    server = urlsplit(find_server())
    maintenance = server._replace(path="/postgres").geturl()
    with psycopg.connect(maintenance, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield server._replace(path=f"/{name}").geturl()
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
