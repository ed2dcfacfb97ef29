"""Clients: what they are, what must be on them, how they come and go."""

from .. import access, clients, jobs, servers, shapes, throttling
from ..descriptions import (
    BackupOptionsAnswer,
    ClientDeleted,
    ClientName,
    ConfigAnswer,
    GeneratedConfig,
    Servers,
    SystemAnswer,
)
from ..exceptions import WrongState
from ..models import Job
from ..operation import operation
from ..serializers.clients import GenerateConfig


@operation(10, topic="clients", answer=SystemAnswer, subusers=True, refusals=(404, 409))
def system(request, server_ip):
    """Get the system of a client: unix or windows.

    The client must have a backup that was completed.
    """
    client = access.client(request.caller, ip=server_ip)
    if not clients.has_backup(client):
        raise WrongState(f"Client '{client}' has no completed backup yet.")
    return {"system": client.system}


@operation(14, topic="clients", answer=ClientName, subusers=True)
def client_name_by_ip(request, client_ip):
    """Get the name of the client with an IP address."""
    return {"name": access.client(request.caller, ip=client_ip).name}


@operation(20, topic="clients", answer=Servers, subusers=True, example={"subuser": "sam"})
def list_servers(request):
    """List the clients of the account or of a subuser, with how well they are protected.

    ``last_backup`` is when the newest backup with content ended, ``protected_bytes`` what it holds
    with those that it builds on, ``last_status`` how the newest backup of all went or goes.
    """
    found = servers.with_backups(access.clients(request.caller))
    return {"servers": [shapes.server(client) for client in found]}


@operation(24, topic="clients", answer=ConfigAnswer, refusals=(404, 409, 502, 503))
def get_config(request, client_ip, system):
    """Get what must be on a client, ready to paste."""
    client = access.client(request.caller, ip=client_ip)
    clients.require_system(client, system)
    return shapes.config(client, clients.config(client))


@operation(
    25,
    topic="clients",
    answer=GeneratedConfig,
    options=GenerateConfig,
    writes=True,
    refusals=(404, 409, 502, 503),
    example={"name": "web1", "IP": "192.0.2.10", "schedule": "30 2 * * *"},
)
def generate_config(request, system):
    """Create a client, or change one by its name, and get what must be on it.

    The first client gets the account's "default" pool and fileset, which are made if need be.
    Root's password installs our key, where the operator allows that; then ``key_installed``.
    """
    caller, options = request.caller, request.options
    if options.get("password"):
        throttling.require_patience_with_passwords(caller.account, "generate_config")
    if caller.limited_to:
        access.client(caller, name=options["name"])
    named = {"fileset": access.fileset, "pool": access.pool, "zone": access.zone}
    options |= {
        what: find(caller, options[what]) for what, find in named.items() if what in options
    }
    client, installed = clients.generate(caller.account, system=system, **options)
    return {**shapes.config(client, clients.config(client)), "key_installed": installed}


@operation(26, topic="clients", answer=BackupOptionsAnswer, refusals=(404, 409))
def backup_options(request, client_ip, system):
    """List how a client can be backed up, and how it is when nothing else is said."""
    caller = request.caller
    client = access.client(caller, ip=client_ip)
    clients.require_system(client, system)
    return {
        "client": client.name,
        "system": client.system,
        "levels": Job.Level.values,
        "filesets": list(access.filesets(caller).values_list("name", flat=True)),
        "pools": list(access.pools(caller).values_list("name", flat=True)),
        "zone": client.zone.name,
        "schedule": client.schedule,
        "retention_days": client.pool.retention_days,
        "defaults": {
            "level": jobs.DEFAULT_LEVEL,
            "fileset": client.fileset.name,
            "pool": client.pool.name,
        },
    }


@operation(
    34,
    topic="clients",
    answer=ClientDeleted,
    writes=True,
    refusals=(404, 409),
    example={"subuser": "sam"},
)
def delete_client(request, client_name):
    """Delete a client, whose backups the operator still has for a while.

    It vanishes from here at once. While it has a job, it is refused.
    """
    client = access.client(request.caller, name=client_name)
    clients.delete(client)
    return {"client": client.name, "deleted": True}
