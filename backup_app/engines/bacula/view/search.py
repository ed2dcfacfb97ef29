"""Looking through all backups of a client, instead of one, and through all that one stored."""

from collections.abc import Iterator, Sequence

from django.db.models import Max

from ....exceptions import NotFound, WrongState
from ...base import File, Node
from ...nodes import merged
from ..catalog import paths, queries
from ..catalog.lstat import FILE
from .view import Folder, View, as_file

BATCH = 20_000  # files that are looked at in one query


def client_tree(engine, client, path: bytes) -> Sequence[Node]:
    """Return the folders in a path as the newest good backup of each fileset has them.

    A folder that several have is one node with the most that one has in it. Raises NotFound, and
    WrongState where only backups whose files were pruned could have it.
    """
    found: dict[bytes, Node] = {}
    refusal: Exception = NotFound(
        f"No backup of client '{client}' has a folder '{paths.shown(path)}'."
    )
    known = False
    for job in newest_backups(engine, client):
        try:
            view = View(engine, job)
            nodes = view.subfolders(view.folder(path))
        except NotFound:
            continue
        except WrongState as e:
            refusal = e
            continue
        known = True
        for node in nodes:
            found[node.path] = merged(found[node.path], node) if node.path in found else node
    if not known:
        raise refusal
    return sorted(found.values(), key=lambda node: node.name)


def newest_backups(engine, client):
    """Return the newest good backup of each fileset of a client; those that have none are one."""
    good = client.jobs.good().backups().filter(engine=engine.alias, source_links__isnull=False)
    newest = good.order_by().values("fileset").annotate(newest=Max("engine_job_id"))
    return (
        good.filter(engine_job_id__in=newest.values("newest")).distinct().order_by("engine_job_id")
    )


def files_ending(engine, job, endings: Sequence[bytes]) -> Iterator[File]:
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
