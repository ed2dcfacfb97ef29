"""Restoring: files, folders and databases, to where they were or elsewhere."""

from .. import access, jobs, paths
from ..descriptions import JobStarted
from ..engines import get_engine
from ..exceptions import Forbidden
from ..operation import operation
from ..serializers.restore import DatabaseOptions, RestoreNodesOptions, RestoreOptions

REFUSALS = (404, 409, 502, 503)


@operation(
    4,
    topic="restores",
    answer=JobStarted,
    options=RestoreOptions,
    subusers=True,
    writes=True,
    refusals=REFUSALS,
    example={"files": ["/etc/hosts", "/srv/www"], "path": "/"},
)
def restore(request, job_id, client_ip):
    """Restore files and folders by their paths.

    A folder brings all below it. Every path must be in the backup, else nothing is started.
    Existing files are replaced. The client may be another one that is seen.
    """
    backup = access.readable_backup(request.caller, job_id)
    client = access.client(request.caller, ip=client_ip)
    wanted = list(dict.fromkeys(request.options["files"]))
    selection = get_engine(backup.engine).select_paths(backup, wanted)
    return _start(request, backup, client, selection)


@operation(
    5,
    topic="restores",
    answer=JobStarted,
    options=RestoreNodesOptions,
    subusers=True,
    writes=True,
    refusals=REFUSALS,
    example={"home": "/home/alice", "nodes": [7], "files": [12, 13], "path": "/home/alice/old"},
)
def restore_nodes(request, job_id, client_ip):
    """Restore files and folders by their IDs.

    Each of them, and the destination unless it is the original location, must lie in ``home``,
    else nothing is started.
    """
    options = request.options
    backup = access.readable_backup(request.caller, job_id)
    client = access.client(request.caller, ip=client_ip)
    if options["path"] != paths.ROOT:
        paths.require_at_or_below(options["path"], options["home"])
    selection = get_engine(backup.engine).select_ids(backup, options["nodes"], options["files"])
    for _, path in [*selection.nodes, *selection.files]:
        paths.require_at_or_below(path, options["home"])
    return _start(request, backup, client, selection)


def _start(request, backup, client, selection):
    caller, path = request.caller, request.options["path"]
    if any(top == paths.ROOT for _, top in selection.nodes):
        _require_whole_machines(caller)
    job = jobs.start_restore(backup, client, selection, path=path, by=caller.login)
    return {"job_id": job.pk}


def _require_whole_machines(caller):
    if caller.limited_to and not caller.limited_to.bmr:
        raise Forbidden(f"Subuser '{caller.limited_to}' may not restore whole machines.")


@operation(
    6,
    topic="restores",
    answer=JobStarted,
    options=DatabaseOptions,
    subusers=True,
    writes=True,
    refusals=REFUSALS,
    example={"client": "db1"},
)
def restore_mysql(request, job_id, db_name):
    """Load a MySQL or MariaDB database from its dump in a backup.

    Into the database of the same name on the original server or on another client's; it must
    exist there. What it held before is dumped first.
    """
    caller, to = request.caller, request.options.get("client")
    backup = access.readable_backup(caller, job_id)
    client = access.client_by_either(caller, to) if to else backup.client
    job = jobs.start_database_restore(backup, client, db_name, "mysql", caller.login)
    return {"job_id": job.pk}
