"""Restores of files, folders and databases, to the original place or another."""

from functools import partial

from ...accounts import access
from ...engines import get_engine
from ...exceptions import Forbidden
from ...jobs import control
from ...lib import paths
from ...services.files import selections
from ..operation import operation
from ..serializers.jobs import JobStarted
from ..serializers.restore import DatabaseOptions, RestoreNodesOptions, RestoreOptions

starting_restore = partial(
    operation,
    topic="restores",
    answer=JobStarted,
    subusers=True,
    writes=True,
    refusals=(404, 409, 502, 503),
)


@starting_restore(4, options=RestoreOptions)
def restore(request, job_id, client_ip):
    """Restore files and folders by path.

    Starts a job. A folder brings back everything below it, and existing files are replaced. If one
    of the paths is not in the backup, nothing is started. The client may be a different one from
    the backup's.
    """
    backup = access.readable_backup(request.caller, job_id)
    client = access.client(request.caller, ip=client_ip)
    wanted = list(dict.fromkeys(request.options["files"]))
    selection = get_engine(backup.engine).select_paths(backup, wanted)
    return _start(request, backup, client, selection)


@starting_restore(5, options=RestoreNodesOptions)
def restore_nodes(request, job_id, client_ip):
    """Restore files and folders by ID.

    Starts a job. Each of them, and any destination but ``/``, must lie in ``home``; otherwise
    nothing is started.
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
    _require_allowed(caller, backup, selection)
    return control.start_restore(backup, client, selection, path=path, by=caller.login)


def _require_allowed(caller, backup, selection):
    subuser = caller.limited_to
    if subuser and not subuser.bmr and selections.is_whole_backup(backup, selection):
        raise Forbidden(f"Subuser '{subuser}' may not restore whole machines.")


@starting_restore(6, options=DatabaseOptions)
def restore_mysql(request, job_id, db_name):
    """Restore a MySQL or MariaDB database.

    Starts a job that loads the dump in the backup into the database of the same name, which must
    exist on the server. What the database held is dumped first.
    """
    caller, to = request.caller, request.options.get("client")
    backup = access.readable_backup(caller, job_id)
    client = access.client_by_either(caller, to) if to else backup.client
    return control.start_database_restore(backup, client, db_name, "mysql", caller.login)
