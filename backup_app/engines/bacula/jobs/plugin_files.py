"""Files that programs on clients wrote into backups, by Bacula's plugins.

Restoring such a file starts another program on the client, which was fixed when the backup was
made: usually one that loads a database, whatever the destination of the restore. Our own script
respects the destination; programs in an operator's filesets may not.
"""

from ....exceptions import EngineError
from ....lib.paths import shown
from ..catalog.connection import Reader, text
from ..catalog.schema import Schema
from ..config import database_plugins
from ..director.director import CatalogSelection

MARK = " -B "  # -1 in base 64; faster to search than the pattern
NO_SIZE = r"^(\S+ ){7}-B "  # an LStat with the size -1, unknown beforehand
FOLDERS = f"SELECT {text('path')} FROM path WHERE pathid = ANY(%s)"  # noqa: S608


def _written(schema: Schema) -> str:
    return f"""
SELECT {text("p.path")}, {text("n.name")}, f.fileid
FROM file f JOIN path p USING (pathid) {schema.join("f")}
WHERE f.jobid = ANY(%s) AND f.lstat LIKE %s AND f.lstat ~ %s AND f.fileindex > 0
ORDER BY p.path, n.name
"""  # noqa: S608 - made of constants


def require_none(reader: Reader, selection: CatalogSelection) -> None:
    """Raise EngineError for a selection whose restore would start an operator's own program."""
    rows = reader.rows(_written, [list(selection.jobs), f"%{MARK}%", NO_SIZE])
    foreign = [
        (bytes(folder) + bytes(name), file_id)
        for folder, name, file_id in rows
        if not database_plugins.is_dump(bytes(folder) + bytes(name))
    ]
    if not foreign:
        return
    folders = [bytes(path) for (path,) in reader.rows(FOLDERS, [list(selection.folders)])]
    files = set(selection.files)
    for path, file_id in foreign:
        if file_id in files or any(path.startswith(folder) for folder in folders):
            raise EngineError(
                f"'{shown(path)}' was written by a program of a plugin. To restore it would start "
                "another program on the client, whatever the destination: leave it out, or restore "
                "it with Bacula's own console."
            )
