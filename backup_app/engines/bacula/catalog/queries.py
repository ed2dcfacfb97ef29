"""The queries of a view. All have the chain: its JobIds, oldest first.

PostgreSQL's statistics know nothing of a job that has just ended: where it sees its number, it
expects next to no rows, and reads all of them for each that it looks for. So numbers of jobs come
out of ``unnest`` or a subquery: there it expects as many as other jobs have. And with
``= ANY(ARRAY(...))`` it looks in the index for each; a join would read the names of all clients.
"""

from .connection import number, of_bytes, text
from .schema import Query, Schema

CHAIN = """
SELECT jobid, level, purgedfiles <> 0, hasbase <> 0, hascache = 1 FROM job
WHERE jobid = ANY(%(jobs)s::int[]) ORDER BY jobtdate, jobid
"""


def visible(table: str) -> str:
    """Return a condition: whether the chain has anything at or below a folder.

    With EXISTS all folders of a job would be read to compare a few.
    """
    return f"""(
        SELECT true FROM unnest(%(chain)s::int[]) AS c (jobid) JOIN pathvisibility v USING (jobid)
        WHERE v.pathid = {table}.pathid LIMIT 1
    ) IS NOT NULL"""


def newest(schema: Schema, table: str, key: str = "") -> str:
    """Return a join to the newest row of the chain for a name in a folder.

    ``key`` is that of the name; without it, the row is the folder's own.
    """
    return f"""LEFT JOIN LATERAL (
        SELECT f.fileid, f.fileindex, f.lstat
        FROM unnest(%(chain)s::int[]) WITH ORDINALITY AS c (jobid, age) JOIN file f USING (jobid)
        WHERE f.pathid = {table}.pathid AND f.{schema.name} = {key or schema.key("''")}
        ORDER BY c.age DESC, f.fileindex DESC LIMIT 1
    ) own ON true"""


def any_text(parameter: str) -> str:
    """Return a condition that matches any of a list of names or paths."""
    return f"""ANY(ARRAY(
        SELECT {of_bytes("w")} FROM unnest(%({parameter})s::bytea[]) AS w
    ))"""


# A folder without a row was not backed up itself, but something below it was.
PRESENT = "coalesce(own.fileindex, 1) > 0"
BY_ID = "p.pathid = ANY(%(nodes)s::int[])"
BY_PATH = f"p.path = {any_text('paths')}"


def folders(which: str) -> Query:
    return lambda schema: (
        f"""
SELECT p.pathid, {text("p.path")}, own.fileid FROM path p {newest(schema, "p")}
WHERE {which} AND {PRESENT} AND {visible("p")}
"""
    )


def subfolders(schema: Schema) -> str:
    # Their names begin where the path of the folder that they are in ends.
    return f"""
SELECT p.pathid, {text("p.path")}, own.fileid, {text("own.lstat")}, count(*) OVER ()
FROM pathhierarchy h JOIN path above ON above.pathid = h.ppathid JOIN path p ON p.pathid = h.pathid
{newest(schema, "p")}
WHERE h.ppathid = ANY(%(within)s::int[]) AND h.pathid <> ALL(%(within)s::int[])
    AND {PRESENT} AND {visible("p")}
ORDER BY left(substr(p.path, length(above.path) + 1), -1) COLLATE "C"
LIMIT %(limit)s OFFSET %(offset)s
"""


def names(schema: Schema) -> str:
    # Only jobs that build on another have rows for deleted files.
    keys = f"""
        SELECT f.{schema.name} FROM unnest(%(full)s::int[]) AS c (jobid) JOIN file f USING (jobid)
        WHERE f.pathid = ANY(%(within)s::int[])
            AND f.{schema.name} NOT IN (SELECT {schema.name} FROM later)
        UNION ALL SELECT {schema.name} FROM later WHERE fileindex > 0
    """
    return f"""
WITH later AS MATERIALIZED (
    SELECT DISTINCT ON (f.{schema.name}) f.{schema.name}, f.fileindex
    FROM unnest(%(later)s::int[]) WITH ORDINALITY AS c (jobid, age) JOIN file f USING (jobid)
    WHERE f.pathid = ANY(%(within)s::int[])
    ORDER BY f.{schema.name}, c.age DESC, f.fileindex DESC
)
SELECT {text("page.name")}, page.total FROM (
    SELECT n.name, count(*) OVER () AS total FROM {schema.among(keys)} n
    WHERE n.name <> '' ORDER BY n.name COLLATE "C" LIMIT %(limit)s OFFSET %(offset)s
) page ORDER BY page.name COLLATE "C"
"""


def files(schema: Schema) -> str:
    return f"""
SELECT {text("n.name")}, f.fileid, {text("f.lstat")}, {text("f.md5")}
FROM ({_newest_files(schema)}) f {schema.join("f")}
WHERE f.fileindex > 0 AND n.name <> ''
ORDER BY n.name COLLATE "C"
"""


def named_files(schema: Schema) -> str:
    keys = f"SELECT {schema.key(of_bytes('w'))} FROM unnest(%(names)s::bytea[]) AS w"
    return f"""
SELECT {text("n.name")}, f.fileid, {text("f.lstat")}, {text("f.md5")}
FROM ({_newest_files(schema, f"AND f.{schema.name} = ANY(ARRAY({keys}))")}) f {schema.join("f")}
"""


def _newest_files(schema: Schema, which: str = "") -> str:
    return f"""
SELECT DISTINCT ON (f.{schema.name}) f.{schema.name}, f.fileid, f.fileindex, f.lstat, f.md5
FROM unnest(%(chain)s::int[]) WITH ORDINALITY AS c (jobid, age) JOIN file f USING (jobid)
WHERE f.pathid = ANY(%(within)s::int[]) {which}
ORDER BY f.{schema.name}, c.age DESC, f.fileindex DESC
"""


def counts(schema: Schema) -> str:
    # Number and size of the files directly in folders, and whether there are subfolders, of which
    # one suffices. The size is the eighth field of LStat.
    return f"""
SELECT u.pathid, coalesce(direct.files, 0), coalesce(direct.size, 0), (
    SELECT true FROM pathhierarchy h {newest(schema, "h")}
    WHERE h.ppathid = u.pathid AND {PRESENT} AND {visible("h")} LIMIT 1
) IS NOT NULL
FROM unnest(%(within)s::int[]) AS u (pathid) LEFT JOIN (
    SELECT f.pathid, count(*) AS files, sum(CASE
        WHEN f.size ~ '^[A-Za-z0-9+/]{{1,10}}$' THEN {number("f.size")}
    END) AS size
    FROM (
        SELECT DISTINCT ON (f.pathid, f.{schema.name})
            f.pathid, f.fileindex, split_part(f.lstat, ' ', 8) AS size
        FROM unnest(%(chain)s::int[]) WITH ORDINALITY AS c (jobid, age) JOIN file f USING (jobid)
        WHERE f.pathid = ANY(%(within)s::int[]) AND f.{schema.name} <> {schema.key("''")}
        ORDER BY f.pathid, f.{schema.name}, c.age DESC, f.fileindex DESC
    ) f WHERE f.fileindex > 0 GROUP BY f.pathid
) direct USING (pathid)
"""


# --- Choosing what is to be restored ---------------------------------------------------------

PATH_IDS = f"SELECT {text('path')}, pathid FROM path WHERE path = {any_text('values')}"


def places(schema: Schema) -> str:
    return f"""
SELECT u.pathid, u.name, own.fileid
FROM unnest(%(folders)s::int[], %(names)s::bytea[]) AS u (pathid, name)
{newest(schema, "u", schema.key(of_bytes("u.name")))} WHERE own.fileindex > 0
"""


def files_by_id(schema: Schema) -> str:
    return f"""
SELECT u.fileid, u.pathid, {text("p.path")}, {text("n.name")}
FROM file u JOIN path p USING (pathid) {schema.join("u")}
{newest(schema, "u", f"u.{schema.name}")}
WHERE u.fileid = ANY(ARRAY(SELECT unnest(%(files)s::bigint[])))
    AND u.jobid + 0 = ANY(%(chain)s::int[])
    AND own.fileid = u.fileid AND own.fileindex > 0
"""


# --- Looking through several jobs ------------------------------------------------------------

FOLDER_ID = f"(SELECT pathid FROM path WHERE path = {of_bytes('%(folder)s')})"
VISIBLE_IN = f"""
SELECT jobid FROM unnest(%(jobs)s::int[]) AS j (jobid) JOIN pathvisibility USING (jobid)
WHERE pathid = {FOLDER_ID}
"""


def said(schema: Schema) -> str:
    return f"""
SELECT jobid, bool_or(fileindex > 0)
FROM unnest(%(jobs)s::int[]) AS j (jobid) JOIN file USING (jobid)
WHERE pathid = {FOLDER_ID} AND {schema.name} = {schema.key(of_bytes("%(name)s"))} GROUP BY jobid
"""


# A job's files in the order of the index, from one place, a PathId and a name, to another.
# PostgreSQL expects a range within one job to be long, and so reads it by the index.


def step(schema: Schema) -> str:
    after = f"(SELECT %(job)s::int), %(path)s, {schema.given('%(name)s')}"
    return f"""
SELECT pathid, {schema.sent(schema.name)} FROM (
    SELECT pathid, {schema.name} FROM file
    WHERE (jobid, pathid, {schema.name}) > ({after}) AND jobid <= (SELECT %(job)s::int)
    ORDER BY jobid, pathid, {schema.name} LIMIT %(count)s
) step ORDER BY pathid DESC, {schema.name} DESC LIMIT 1
"""


def ending(schema: Schema) -> str:
    place = f"(u.pathid, u.{schema.name})"
    in_step = f"""u.jobid = (SELECT %(job)s::int)
    AND {place} > (%(path)s, {schema.given("%(name)s")})
    AND {place} <= (%(last_path)s, {schema.given("%(last_name)s")})"""
    keys = f"SELECT u.{schema.name} FROM file u WHERE {in_step}"
    return f"""
SELECT u.pathid, {text("p.path")}, {text("n.name")}, u.fileid, {text("u.lstat")}, {text("u.md5")}
FROM file u JOIN path p USING (pathid) {schema.join("u")}
WHERE {in_step} AND u.fileindex > 0 AND u.{schema.name} = ANY(ARRAY(
    SELECT n.key FROM {schema.among(keys)} n, unnest(%(endings)s::bytea[]) AS e
    WHERE lower(right(n.name, length(e))) = {of_bytes("e")}
))
ORDER BY u.pathid, u.{schema.name}
"""
