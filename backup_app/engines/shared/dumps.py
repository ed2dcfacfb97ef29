"""Where backups hold the dumps of databases, which were never files of the client."""

DUMPS = "/.databases"


def dump_path(kind: str, name: str) -> bytes:
    """Return the path of a database's dump in every backup."""
    return f"{DUMPS}/{kind}/{name}.sql".encode()
