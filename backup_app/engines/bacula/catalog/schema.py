"""What differs between the catalogs of Bacula's versions: all that is read is otherwise the same.

A catalog says its version in its table Version. Up to 9.6 the names of files were in a table of
their own, of which File had numbers; since 11 the table File has the names themselves.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Schema:
    """Where a catalog has the names of files; a folder's own row has the name "".

    ``name`` is the column of File that tells names apart: a name's number, or the name.
    """

    name: str
    first: int | bytes  # as ``sent`` has the least of the column
    _sent: str
    _given: str
    _join: str
    _key: str
    _among: str
    tables: tuple[str, ...] = ()

    def join(self, file: str) -> str:
        """Return a join that adds ``n.name`` to rows of File."""
        return self._join.format(file)

    def key(self, name: str) -> str:
        """Return SQL for what the column ``name`` has for the name that SQL yields."""
        return self._key.format(name)

    def sent(self, column: str) -> str:
        """Return SQL for a value of the column ``name`` as this service gets it."""
        return self._sent.format(column)

    def given(self, parameter: str) -> str:
        """Return SQL for the column's value of a parameter that has what was ``sent``."""
        return self._given.format(parameter)

    def among(self, keys: str) -> str:
        """Return a table with the ``key`` and ``name`` of each of the keys that a query yields."""
        return self._among.format(keys)


# With = ANY(ARRAY(...)) PostgreSQL looks in the index for each; a join would read all names.
NUMBERED = Schema(
    "filenameid",
    0,
    "{0}",
    "{0}",
    "JOIN filename n ON n.filenameid = {0}.filenameid",
    "(SELECT filenameid FROM filename WHERE name = {0})",
    "(SELECT filenameid AS key, name FROM filename WHERE filenameid = ANY(ARRAY({0})))",
    tables=("filename",),
)
WITHIN_FILE = Schema(
    "filename",
    b"",
    "convert_to({0}, 'SQL_ASCII')",
    "convert_from({0}, 'SQL_ASCII') COLLATE \"default\"",
    "CROSS JOIN LATERAL (SELECT {0}.filename AS name) n",
    "{0}",
    "(SELECT key, key AS name FROM ({0}) AS keys (key))",
)
# By the version of the tables: 9.6 has 16, 11 up to 1022, 13 up to 1024 and 15 up to 1026.
SCHEMAS = {16: NUMBERED, **dict.fromkeys(range(1017, 1027), WITHIN_FILE)}
VERSIONS = "16 and 1017 to 1026"
RELEASES = "9.6", "11", "13", "15"
SUPPORTED = f"{', '.join(RELEASES[:-1])} and {RELEASES[-1]}"

Query = str | Callable[[Schema], str]
"""A query of a catalog, or a function that returns it for a schema."""


def is_supported(release: str) -> bool:
    """Return whether a version of Bacula, such as "9.6.7", is one that this service knows."""
    return release.startswith(tuple(f"{each}." for each in RELEASES))
