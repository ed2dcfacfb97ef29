"""Explains database errors to an operator."""

from django.db import DatabaseError, OperationalError, connections

DAMAGED = (
    "is damaged or not a SQLite database. Replace it with a copy, or move it away and run"
    " 'manage.py migrate' for an empty one"
)
OUTDATED = "is not up to date. Run 'manage.py migrate'"
# Messages of SQLite, and SQLSTATE codes of PostgreSQL.
REMEDIES = {
    "file is not a database": DAMAGED,
    "malformed": DAMAGED,
    "database is locked": "is locked by another process. End that process, or try again later",
    "readonly database": "cannot be written to by this user. Check who owns it and its folder",
    "unable to open": "cannot be opened by this user. Check who owns it and its folder",
    "disk is full": "is on a full disk. Free some space there",
    "no such table": OUTDATED,
    "no such column": OUTDATED,
    "has no column": OUTDATED,
    "42P01": OUTDATED,  # undefined table
    "42703": OUTDATED,  # undefined column
}


def sentence(error: DatabaseError) -> str | None:
    """Return what to do about a database error; None for one that is a bug."""
    text = " ".join(str(error).split())
    state = getattr(error.__cause__, "sqlstate", None)
    for sign, remedy in REMEDIES.items():
        if sign == state or sign in text:
            return f"The database {_name()} {remedy}. ({text})"
    if isinstance(error, OperationalError):
        return f"The database {_name()} cannot be used. Check it and DATABASE_URL. ({text})"
    return None


def _name() -> str:
    settings = connections["default"].settings_dict
    host = settings["HOST"] and f" at {settings['HOST']}:{settings['PORT'] or 5432}"
    return f"'{settings['NAME']}'{host}"
