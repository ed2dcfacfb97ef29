"""The queries of a view. All have the chain: its JobIds, oldest first.

PostgreSQL's statistics know nothing of a job that has just ended: where it sees its number, it
expects next to no rows, and reads all of them for each that it looks for. So numbers of jobs come
out of ``unnest`` or a subquery: there it expects as many as other jobs have. And with
``= ANY(ARRAY(...))`` it looks in the index for each; a join would read the names of all clients.
"""

from .connection import number, of_bytes, text

# A folder's own row is the one without a name.
OWN = "(SELECT filenameid FROM filename WHERE name = '')"

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


def newest(table: str, name: str = OWN) -> str:
    """Return a join to the newest row of the chain for a name in a folder."""
    return f"""LEFT JOIN LATERAL (
        SELECT f.fileid, f.fileindex, f.lstat
        FROM unnest(%(chain)s::int[]) WITH ORDINALITY AS c (jobid, age) JOIN file f USING (jobid)
        WHERE f.pathid = {table}.pathid AND f.filenameid = {name}
        ORDER BY c.age DESC, f.fileindex DESC LIMIT 1
    ) own ON true"""


def any_text(parameter: str) -> str:
    """Return a condition that matches any of a list of names or paths."""
    return f"""ANY(ARRAY(
        SELECT {of_bytes("w")} FROM unnest(%({parameter})s::bytea[]) AS w
    ))"""


# A folder without a row was not backed up itself, but something below it was.
PRESENT = "coalesce(own.fileindex, 1) > 0"

FOLDERS = f"""
SELECT p.pathid, {text("p.path")}, own.fileid FROM path p {newest("p")}
WHERE {{which}} AND {PRESENT} AND {visible("p")}
"""
BY_ID = "p.pathid = ANY(%(nodes)s::int[])"
BY_PATH = f"p.path = {any_text('paths')}"

# Their names begin where the path of the folder that they are in ends.
SUBFOLDERS = f"""
SELECT p.pathid, {text("p.path")}, own.fileid, {text("own.lstat")}, count(*) OVER ()
FROM pathhierarchy h JOIN path above ON above.pathid = h.ppathid JOIN path p ON p.pathid = h.pathid
{newest("p")}
WHERE h.ppathid = ANY(%(within)s::int[]) AND h.pathid <> ALL(%(within)s::int[])
    AND {PRESENT} AND {visible("p")}
ORDER BY left(substr(p.path, length(above.path) + 1), -1) COLLATE "C"
LIMIT %(limit)s OFFSET %(offset)s
"""

# Only jobs that build on another have rows for deleted files. For a full one the index suffices.
NAMES = f"""
WITH later AS MATERIALIZED (
    SELECT DISTINCT ON (f.filenameid) f.filenameid, f.fileindex
    FROM unnest(%(later)s::int[]) WITH ORDINALITY AS c (jobid, age) JOIN file f USING (jobid)
    WHERE f.pathid = ANY(%(within)s::int[])
    ORDER BY f.filenameid, c.age DESC, f.fileindex DESC
)
SELECT page.filenameid, {text("page.name")}, page.total FROM (
    SELECT n.filenameid, n.name, count(*) OVER () AS total FROM filename n
    WHERE n.filenameid = ANY(ARRAY(
        SELECT f.filenameid FROM unnest(%(full)s::int[]) AS c (jobid) JOIN file f USING (jobid)
        WHERE f.pathid = ANY(%(within)s::int[])
            AND f.filenameid NOT IN (SELECT filenameid FROM later)
        UNION ALL SELECT filenameid FROM later WHERE fileindex > 0
    )) AND n.name <> ''
    ORDER BY n.name COLLATE "C" LIMIT %(limit)s OFFSET %(offset)s
) page ORDER BY page.name COLLATE "C"
"""
FILES = """
SELECT DISTINCT ON (f.filenameid) f.filenameid, f.fileid, f.fileindex, f.lstat, f.md5
FROM unnest(%(chain)s::int[]) WITH ORDINALITY AS c (jobid, age) JOIN file f USING (jobid)
WHERE f.pathid = ANY(%(within)s::int[]) {which}
ORDER BY f.filenameid, c.age DESC, f.fileindex DESC
"""
ALL_FILES = f"""
SELECT {text("n.name")}, f.fileid, {text("f.lstat")}, {text("f.md5")}
FROM ({FILES.format(which="")}) f JOIN filename n USING (filenameid)
WHERE f.fileindex > 0 AND n.name <> ''
ORDER BY n.name COLLATE "C"
"""
NAMED_FILES = f"""
SELECT f.filenameid, f.fileid, {text("f.lstat")}, {text("f.md5")}
FROM ({FILES.format(which="AND f.filenameid = ANY(%(names)s::int[])")}) f
"""

# Number and size of the files directly in folders, and whether there are subfolders, of which one
# suffices. The size is the eighth field of LStat.
COUNTS = f"""
SELECT u.pathid, coalesce(direct.files, 0), coalesce(direct.size, 0), (
    SELECT true FROM pathhierarchy h {newest("h")}
    WHERE h.ppathid = u.pathid AND {PRESENT} AND {visible("h")} LIMIT 1
) IS NOT NULL
FROM unnest(%(within)s::int[]) AS u (pathid) LEFT JOIN (
    SELECT f.pathid, count(*) AS files, sum(CASE
        WHEN f.size ~ '^[A-Za-z0-9+/]{{1,10}}$' THEN {number("f.size")}
    END) AS size
    FROM (
        SELECT DISTINCT ON (f.pathid, f.filenameid)
            f.pathid, f.fileindex, split_part(f.lstat, ' ', 8) AS size
        FROM unnest(%(chain)s::int[]) WITH ORDINALITY AS c (jobid, age) JOIN file f USING (jobid)
        WHERE f.pathid = ANY(%(within)s::int[]) AND f.filenameid <> {OWN}
        ORDER BY f.pathid, f.filenameid, c.age DESC, f.fileindex DESC
    ) f WHERE f.fileindex > 0 GROUP BY f.pathid
) direct USING (pathid)
"""

# --- Choosing what is to be restored ---------------------------------------------------------

PATH_IDS = f"SELECT {text('path')}, pathid FROM path WHERE path = {any_text('values')}"
NAME_IDS = f"SELECT {text('name')}, filenameid FROM filename WHERE name = {any_text('values')}"
PLACES = f"""
SELECT u.pathid, u.filenameid, own.fileid
FROM unnest(%(folders)s::int[], %(names)s::int[]) AS u (pathid, filenameid)
{newest("u", "u.filenameid")} WHERE own.fileindex > 0
"""
FILES_BY_ID = f"""
SELECT u.fileid, u.pathid, {text("p.path")}, {text("n.name")}
FROM file u JOIN path p USING (pathid) JOIN filename n USING (filenameid)
{newest("u", "u.filenameid")}
WHERE u.fileid = ANY(ARRAY(SELECT unnest(%(files)s::bigint[])))
    AND u.jobid + 0 = ANY(%(chain)s::int[])
    AND own.fileid = u.fileid AND own.fileindex > 0
"""

# --- Looking through several jobs ------------------------------------------------------------

FOLDER_ID = f"(SELECT pathid FROM path WHERE path = {of_bytes('%(folder)s')})"
NAME_ID = f"(SELECT filenameid FROM filename WHERE name = {of_bytes('%(name)s')})"
SAID = f"""
SELECT jobid, bool_or(fileindex > 0)
FROM unnest(%(jobs)s::int[]) AS j (jobid) JOIN file USING (jobid)
WHERE pathid = {FOLDER_ID} AND filenameid = {NAME_ID} GROUP BY jobid
"""
VISIBLE_IN = f"""
SELECT jobid FROM unnest(%(jobs)s::int[]) AS j (jobid) JOIN pathvisibility USING (jobid)
WHERE pathid = {FOLDER_ID}
"""

# A job's files in the order of the index, from one (PathId, FilenameId) to another. PostgreSQL
# expects a range within one job to be long, and so reads it by the index instead of sorting.
STEP = """
SELECT pathid, filenameid FROM (
    SELECT pathid, filenameid FROM file
    WHERE (jobid, pathid, filenameid) > ((SELECT %(job)s::int), %(path)s, %(name)s)
        AND jobid <= (SELECT %(job)s::int)
    ORDER BY jobid, pathid, filenameid LIMIT %(count)s
) step ORDER BY pathid DESC, filenameid DESC LIMIT 1
"""
IN_STEP = """u.jobid = (SELECT %(job)s::int) AND (u.pathid, u.filenameid) > (%(path)s, %(name)s)
    AND (u.pathid, u.filenameid) <= (%(last_path)s, %(last_name)s)"""
ENDING = f"""
SELECT u.pathid, {text("p.path")}, {text("n.name")}, u.fileid, {text("u.lstat")}, {text("u.md5")}
FROM file u JOIN path p USING (pathid) JOIN filename n USING (filenameid)
WHERE {IN_STEP} AND u.fileindex > 0 AND u.filenameid = ANY(ARRAY(
    SELECT n.filenameid FROM filename n, unnest(%(endings)s::bytea[]) AS e
    WHERE n.filenameid = ANY(ARRAY(SELECT u.filenameid FROM file u WHERE {IN_STEP}))
        AND lower(right(n.name, length(e))) = {of_bytes("e")}
))
ORDER BY u.pathid, u.filenameid
"""
