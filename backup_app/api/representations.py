"""What the operations answer: records as JSON objects."""

import base64

from ..lib.formatting import format_time, format_timestamp
from ..lib.paths import shown


def job(record):
    """Return a Job; its client, fileset, pool and storage's zone are to be selected with it."""
    return {
        "job_id": record.pk,
        "name": record.name,
        "type": record.type,
        "level": record.level,
        "status": record.status,
        "client": record.client.name,
        "client_ip": record.client.ip,
        "fileset": record.fileset and record.fileset.name,
        "pool": record.pool and record.pool.name,
        "zone": record.storage and record.storage.zone.name,
        "created": format_time(record.created),
        "started": format_time(record.started),
        "ended": format_time(record.ended),
        "files": record.files,
        "bytes": record.bytes,
        "stored_bytes": record.stored_bytes,
        "errors": record.errors,
        "progress": progress(record),
        "parent_job_id": record.parent_id,
        "message": record.message,
    }


def progress(record):
    return {
        "files": record.files_done,
        "bytes": record.bytes_done,
        "percent": record.percent_done,
    }


def log_line(time, level, message):
    return {"time": format_time(time), "level": level, "message": message}


def node(found):
    return {
        "node_id": found.node_id,
        "name": shown(found.name),
        **path(found.path),
        "size": found.size,
        "files": found.files,
        "mtime": format_timestamp(found.mtime),
        "has_children": found.has_children,
    }


def file(found):
    return {
        "file_id": found.file_id,
        "node_id": found.node_id,
        "parent_node_id": found.parent_node_id,
        "name": shown(found.name),
        **path(found.path),
        "type": found.type,
        "size": found.size,
        "mtime": format_timestamp(found.mtime),
        "mode": f"{found.mode:04o}",
        "owner": found.owner,
        "group": found.group,
        "target": shown(found.target) if found.target else None,
        "sha256": found.sha256.hex() if found.sha256 else None,
    }


def path(data):
    """Return ``path``, and ``path_b64`` with the raw bytes where those are no UTF-8."""
    try:
        return {"path": data.decode()}
    except UnicodeDecodeError:
        return {"path": shown(data), "path_b64": base64.b64encode(data).decode()}


def server(client):
    """Return a client of ``protection.with_backups`` as the list of servers shows it."""
    return {
        "name": client.name,
        "ip": client.ip,
        "internal_ip": client.internal_ip,
        "system": client.system,
        "zone": client.zone.name,
        "last_backup": format_time(client.last_backup),
        "last_status": client.last_status,
        "protected_bytes": client.protected_bytes,
    }


def config(client, made):
    return {
        "client": client.name,
        "system": client.system,
        "file_name": made.file_name,
        "config": made.config,
    }


def subuser(record):
    """Return a Subuser; asks for the names of its clients."""
    clients = record.clients.filter(deleted=None).order_by("name")
    return {
        "login": record.login,
        "firstname": record.first_name,
        "lastname": record.last_name,
        "email": record.email,
        "clients": list(clients.values_list("name", flat=True)),
        "bmr": record.bmr,
        "created": format_time(record.created),
    }


def pool(record, usage):
    return {
        "name": record.name,
        "storage": record.storage.name,
        "zone": record.storage.zone.name,
        "retention_days": record.retention_days,
        "keep_full": record.keep_full,
        "quota_bytes": record.quota_bytes,
        **usage,
    }


def storage(record, space, pools):
    return {
        "name": record.name,
        "zone": record.zone.name,
        "kind": record.kind,
        "path": record.path,
        **space,
        "pools": pools,
    }


def fileset(record):
    return {
        "name": record.name,
        "include": record.include,
        "exclude": record.exclude,
        "options": record.options,
        "databases": record.databases,
        "verify": record.verify,
        "schedule": record.schedule,
    }
