"""The queries that look through many jobs: for names, versions and differences.

No index has the parts of names. Up to Bacula 9.6 names are in a table of their own, without a
client: a part of one is searched for among all that Bacula has ever backed up. Only then are the
files of a client's jobs looked through, in the index of JobId, PathId and name.
"""

from .connection import of_bytes, text
from .schema import Schema


def _like(value: str) -> str:
    return f"{value} ILIKE {of_bytes('%(like)s')} ESCAPE '!'"


def _like_name(name: str) -> str:
    """Return a condition with slashes around a name, as a pattern has them."""
    return _like(f"'/' || {name} || '/'")


def names(schema: Schema) -> str:
    """Return a query for the numbers of names; where they have none, for any row."""
    if not schema.tables:
        return "SELECT 0"
    return f"""
SELECT filenameid FROM filename WHERE name <> '' AND {_like_name("name")} LIMIT %(most)s
"""


# The first condition is quick, the second exact: it is on the last part of the path alone.
FOLDERS = f"""
SELECT pathid FROM path
WHERE {_like("path")} AND {_like_name("substring(path FROM '([^/]*)/$')")}
LIMIT %(most)s
"""


def places(schema: Schema) -> str:
    # Neither list is joined: PostgreSQL could compare each file with each name.
    is_named = (
        "filenameid IN (SELECT unnest(%(names)s::int[]))"
        if schema.tables
        else f"filename <> '' AND {_like_name('filename')}"
    )
    return f"""
SELECT f.pathid, {text("p.path")}, {text("n.name")} FROM (
    SELECT DISTINCT pathid, {schema.name}
    FROM unnest(%(jobs)s::int[]) AS j (jobid) JOIN file USING (jobid)
    WHERE {is_named}
        OR {schema.name} = {schema.key("''")} AND pathid IN (SELECT unnest(%(folders)s::int[]))
    LIMIT %(most)s
) f JOIN path p USING (pathid) {schema.join("f")}
"""


def rows(schema: Schema) -> str:
    return f"""
SELECT f.jobid, u.pathid, u.name, f.fileid, f.fileindex, {text("f.lstat")}, {text("f.md5")}
FROM (
    SELECT pathid, name, {schema.key(of_bytes("w.name"))} AS key
    FROM unnest(%(folders)s::int[], %(names)s::bytea[]) AS w (pathid, name)
) u CROSS JOIN unnest(%(jobs)s::int[]) AS j (jobid)
JOIN file f ON f.jobid = j.jobid AND f.pathid = u.pathid AND f.{schema.name} = u.key
ORDER BY f.fileindex
"""


# Whatever jobs have stored in a folder or below it is visible in it.
CHANGED = f"""
SELECT pathid, {text("path")} FROM path
WHERE pathid = ANY(ARRAY(
        SELECT v.pathid
        FROM unnest(%(unshared)s::int[]) AS j (jobid) JOIN pathvisibility v USING (jobid)
    ))
    AND (SELECT bool_or(starts_with(path, {of_bytes("b")})) FROM unnest(%(below)s::bytea[]) AS b)
    AND path COLLATE "C" >= convert_from(%(start)s, 'SQL_ASCII')
ORDER BY path COLLATE "C" LIMIT %(most)s
"""


# Some of the folders of a view, at random.
DRAWN = """
SELECT pathid FROM (
    SELECT DISTINCT v.pathid
    FROM unnest(%(chain)s::int[]) AS c (jobid) JOIN pathvisibility v USING (jobid)
) folder ORDER BY random() LIMIT %(most)s
"""


def sample(schema: Schema) -> str:
    return f"SELECT * FROM ({content(schema)}) c ORDER BY random() LIMIT %(most)s"


def content(schema: Schema) -> str:
    return f"""
SELECT f.pathid, {text("n.name")}, f.fileid, {text("f.lstat")}, {text("f.md5")}
FROM (
    SELECT DISTINCT ON (f.pathid, f.{schema.name})
        f.pathid, f.{schema.name}, f.fileid, f.fileindex, f.lstat, f.md5
    FROM unnest(%(chain)s::int[]) WITH ORDINALITY AS c (jobid, age) JOIN file f USING (jobid)
    WHERE f.pathid = ANY(%(within)s::int[])
    ORDER BY f.pathid, f.{schema.name}, c.age DESC, f.fileindex DESC
) f {schema.join("f")}
WHERE f.fileindex > 0
"""
