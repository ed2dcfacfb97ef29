"""Jobs that were never run: rows of the catalog, as the Director writes them."""

import stat

from django.db import connections

from backup_app.engines.bacula.catalog.connection import Reader
from backup_app.engines.bacula.catalog.schema import NUMBERED, Schema
from backup_app.models.job import JobSource

from ....support.factories import JobFactory

GONE = None
ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
TEXT = "convert_from(%s, 'SQL_ASCII')"


def execute(query, *values):
    """Run a query in the catalog; return its rows, if it has some."""
    with connections["bacula"].cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchall() if cursor.description else []


def forged_backup(installation, client, files, base=None, **values):
    """Return a good backup of files, on top of another's view.

    ``files`` are paths, or ``{path: GONE or values of add_file}``; those of folders end with "/".
    """
    level = "I" if base else "F"
    job_id = forged_job(**{"level": level, "jobtdate": 0} | values)
    execute("UPDATE job SET jobtdate = jobid WHERE jobid = %s AND jobtdate = 0", job_id)
    for path in files:
        given = files[path] if isinstance(files, dict) else {}
        add_file(job_id, path, **({"index": 0} if given is GONE else given))
    installation.bconsole(f".bvfs_update jobid={job_id}")
    level = "Incremental" if base else "Full"
    job = JobFactory(client=client, status="completed", level=level, engine_job_id=job_id)
    sources = [link.source for link in base.source_links.all()] if base else []
    JobSource.objects.bulk_create(JobSource(job=job, source=s) for s in [*sources, job])
    return job


def forged_job(client="forged-fd", fileset="forged", pool="forged", **values):
    """Return the number of a new job that has ended well; ``values`` are its columns."""
    kept = {
        "job": "forged",
        "name": "forged",
        "type": "B",
        "level": "F",
        "jobstatus": "T",
        "clientid": _id("client", "name", client, uname=""),
        "filesetid": _id("fileset", "fileset", fileset, md5="", createtime="2024-01-01 00:00"),
        "poolid": _id("pool", "name", pool, labelformat="", pooltype="Backup"),
    } | values
    return _insert("job", "jobid", kept)


def add_file(job_id, path, *, index=1, md5="0", **status):
    """Add to a job a file, or a folder if the path ends with a slash; ``status`` is of LStat.

    With index 0 it is gone. Returns the FileId.
    """
    folder, _, name = path.rpartition(b"/")
    is_folder = not name
    status = {"mode": stat.S_IFDIR | 0o755 if is_folder else stat.S_IFREG | 0o644} | status
    values = {
        "jobid": job_id,
        "fileindex": index,
        "pathid": _id("path", "path", folder + b"/"),
        schema().name: _id("filename", "name", name) if schema() is NUMBERED else name,
        "lstat": lstat(**status),
        "md5": md5,
    }
    return _insert("file", "fileid", values)


def add_many_files(job_id, folders=2000, files=10):
    """Add to a job so many folders with so many files in each, all below ``/many``."""
    execute(
        "INSERT INTO path (path) SELECT '/many/' || n || '/' FROM generate_series(1, %s) n"
        " ON CONFLICT DO NOTHING", folders,
    )  # fmt: skip
    execute(
        f"INSERT INTO file (fileindex, jobid, pathid, {schema().name}, lstat, md5)"  # noqa: S608
        f" SELECT 1, %s, pathid, key, 'A', '0' FROM path, {many_names(files)}"
        " WHERE path LIKE '/many/%%'", job_id,
    )  # fmt: skip
    execute(
        "INSERT INTO pathvisibility (jobid, pathid)"
        " SELECT %s, pathid FROM path WHERE path LIKE '/many/%%'", job_id,
    )  # fmt: skip


def many_names(count):
    """Return SQL for a table with the keys of so many names, "many1" and on."""
    names = f"SELECT 'many' || n FROM generate_series(1, {count}) n"  # noqa: S608
    if schema() is NUMBERED:
        execute(f"INSERT INTO filename (name) {names} ON CONFLICT DO NOTHING")
    return f"(SELECT {schema().key('many.name')} AS key FROM ({names}) AS many (name)) AS many"  # noqa: S608


def schema() -> Schema:
    """Return where the catalog has the names of files."""
    return Reader("bacula").schema


def lstat(mode=0, uid=0, gid=0, size=0, mtime=0, link=0):
    """Return an LStat as file daemons write it."""
    numbers = [2049, 7, mode, 1, uid, gid, 0, size, 4096, 8, mtime, mtime, mtime, link, 0, 0, 0]
    return b" ".join(map(number, numbers))


def number(value):
    """Return a number in Bacula's base 64."""
    sign, value, digits = b"-" if value < 0 else b"", abs(value), b""
    while value or not digits:
        value, digit = divmod(value, 64)
        digits = ALPHABET[digit : digit + 1] + digits
    return sign + digits


def _id(table, column, name, **others):
    """Return the number of a row with a name, made if need be."""
    name = name.encode() if isinstance(name, str) else name
    key = f"{table}id"
    found = execute(f"SELECT {key} FROM {table} WHERE {column} = {TEXT}", name)  # noqa: S608
    return found[0][0] if found else _insert(table, key, {column: name, **others})


def _insert(table, key, values):
    places = ", ".join(TEXT if isinstance(value, bytes) else "%s" for value in values.values())
    query = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({places}) RETURNING {key}"  # noqa: S608
    return execute(query, *values.values())[0][0]
