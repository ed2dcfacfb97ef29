"""What programs on clients wrote into backups, by Bacula's plugins.

To restore it is to start another program there, which was chosen when the backup was made: as a
rule one that loads a database, and whatever the destination is. Our own script looks at that;
those that an operator has had in filesets before need not.
"""

from ....exceptions import EngineError
from ....lib.paths import shown
from ..catalog.connection import Reader, text
from ..config import database_plugins
from ..director.selection_table import Wanted

MARK = " -B "  # the number -1, quicker to look for
NO_SIZE = r"^(\S+ ){7}-B "  # an LStat, whose size is -1 where nobody knew it beforehand
WRITTEN = f"""
SELECT {text("p.path")}, {text("n.name")}, f.fileid
FROM file f JOIN path p USING (pathid) JOIN filename n USING (filenameid)
WHERE f.jobid = ANY(%s) AND f.lstat LIKE %s AND f.lstat ~ %s AND f.fileindex > 0
ORDER BY p.path, n.name
"""  # noqa: S608 - made of constants
FOLDERS = f"SELECT {text('path')} FROM path WHERE pathid = ANY(%s)"  # noqa: S608


def require_none(reader: Reader, wanted: Wanted) -> None:
    """Raise EngineError where something is wanted that would start an operator's own program."""
    rows = reader.rows(WRITTEN, [list(wanted.jobs), f"%{MARK}%", NO_SIZE])
    foreign = [
        (bytes(folder) + bytes(name), file_id)
        for folder, name, file_id in rows
        if not database_plugins.is_dump(bytes(folder) + bytes(name))
    ]
    if not foreign:
        return
    folders = [bytes(path) for (path,) in reader.rows(FOLDERS, [list(wanted.folders)])]
    files = set(wanted.files)
    for path, file_id in foreign:
        if file_id in files or any(path.startswith(folder) for folder in folders):
            raise EngineError(
                f"'{shown(path)}' is what a program wrote, and to restore it starts another "
                "one on the client, wherever files are to go. Leave it out, or restore it with "
                "Bacula's own console."
            )
