"""Looking through all that one backup stored itself."""

from collections.abc import Iterator, Sequence

from ....models import Job
from ...base import File
from ..catalog import queries
from ..catalog.lstat import FILE
from ..names import Bacula
from .view import Folder, as_file

BATCH = 20_000  # files that are looked at in one query


def files_ending(engine: Bacula, job: Job, endings: Sequence[bytes]) -> Iterator[File]:
    """Yield the files that a job itself stored whose names end so; letters count in both cases.

    The names of all others stay in the database, and no query goes through a whole job.
    """
    catalog = engine.reader()
    values = {"job": job.engine_job_id, "endings": [ending.lower() for ending in endings]}
    start = {"path": 0, "name": 0}
    while steps := catalog.rows(queries.STEP, {**values, **start, "count": BATCH}):
        ((last_path, last_name),) = steps
        end = {"last_path": last_path, "last_name": last_name}
        for path_id, stored, *row in catalog.rows(queries.ENDING, {**values, **start, **end}):
            file = as_file(Folder(path_id, stored), *row)
            if file.type == FILE:
                yield file
        start = {"path": last_path, "name": last_name}
