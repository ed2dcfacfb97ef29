"""Browsing: what a backup holds, folder by folder."""

from functools import partial

from ...accounts import access
from ...engines import get_engine
from ...lib import paths
from ..operation import operation
from ..serializers.browse import Files, FolderOptions, NodeOptions, Nodes, Tree, TreeOptions

browsing = partial(operation, topic="files", subusers=True)


@browsing(2, answer=Files, options=FolderOptions, refusals=(404, 409, 502, 503))
def files(request, job_id):
    """List a folder of a backup by its path.

    One level of what a full restore of this backup would bring back: folders first, then by
    name.
    """
    options = request.options
    backup = access.readable_backup(request.caller, job_id)
    listing = get_engine(backup.engine).list_folder(
        backup, options["path"], offset=options["offset"], limit=options.get("limit")
    )
    return {"job_id": backup.pk, **vars(listing)}


@browsing(3, answer=Nodes, options=NodeOptions, refusals=(404, 409, 502, 503))
def nodes(request, job_id, node_id):
    """List a folder of a backup by its node ID.

    Its folders are in ``nodes``, everything else is in ``files``. A folder outside ``path`` is
    refused.
    """
    backup = access.readable_backup(request.caller, job_id)
    engine = get_engine(backup.engine)
    path = engine.folder_path(backup, node_id)
    paths.require_at_or_below(path, request.options["path"])
    found = engine.list_folder(backup, path).files
    return {
        "job_id": backup.pk,
        "node_id": node_id,
        "path": path,
        "nodes": engine.subfolders(backup, node_id),
        "files": [file for file in found if file.node_id is None],
    }


@browsing(11, answer=Tree, options=TreeOptions, refusals=(404, 502, 503))
def restore_tree(request, client_ip):
    """List a client's folders.

    The folders in ``name``, as the client's newest backups hold them; the client itself is not
    contacted. A folder outside ``home`` is refused.
    """
    home = request.options["home"]
    name = request.options.get("name") or home
    client = access.client(request.caller, ip=client_ip)
    paths.require_at_or_below(name, home)
    found = get_engine(_engine_of(client)).client_tree(client, paths.normalized(name))
    return {"name": name, "nodes": found}


def _engine_of(client):
    newest = client.jobs.backups().good().values_list("engine", flat=True).first()
    return newest or client.pool.storage.zone.engine
