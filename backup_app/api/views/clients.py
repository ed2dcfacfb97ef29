"""Creating, describing and deleting clients, and running commands on them."""

from ...accounts import access, throttling
from ...exceptions import WrongState
from ...jobs import control
from ...models import Job
from ...services import clients
from ...services.reports import protection
from ...services.rules import commands
from ..operation import operation
from ..serializers.clients import (
    BackupOptionsAnswer,
    ClientDeleted,
    ClientName,
    CommandResult,
    ConfigAnswer,
    GenerateConfig,
    GeneratedConfig,
    RunCommand,
    Servers,
    SystemAnswer,
)


@operation(10, topic="clients", answer=SystemAnswer, subusers=True, refusals=(404, 409))
def system(request, server_ip):
    """Get the operating system of a client.

    ``unix`` or ``windows``. The client must have a completed backup.
    """
    client = access.client(request.caller, ip=server_ip)
    if not clients.has_backup(client):
        raise WrongState(f"Client '{client}' has no completed backup yet.")
    return client


@operation(14, topic="clients", answer=ClientName, subusers=True)
def client_name_by_ip(request, client_ip):
    """Get the name of a client by its IP address."""
    return access.client(request.caller, ip=client_ip)


@operation(20, topic="clients", answer=Servers, subusers=True)
def list_servers(request):
    """List clients.

    The account's clients, or those granted to ``subuser``, and how well each is protected:
    ``last_backup`` is when the newest usable backup ended, ``protected_bytes`` its size together
    with the backups that it builds on, and ``last_status`` the status of the newest backup of all.
    """
    found = protection.with_backups(access.clients(request.caller))
    return {"servers": found}


@operation(24, topic="clients", answer=ConfigAnswer, refusals=(404, 409, 502, 503))
def get_config(request, client_ip, system):
    """Get a client's configuration.

    What must be on the client for its backups, ready to paste.
    """
    client = access.client(request.caller, ip=client_ip)
    clients.require_system(client, system)
    return _config(client)


@operation(
    25,
    topic="clients",
    answer=GeneratedConfig,
    options=GenerateConfig,
    writes=True,
    refusals=(404, 409, 502, 503),
)
def generate_config(request, system):
    """Create or update a client.

    The client is found by its name; fields that are not given keep their value. Returns what must
    be on it. The first client of an account gets the pool and the fileset named ``default``, which
    are created if needed. ``key_installed`` says whether the root password was used to install the
    server's key, which the operator must allow.
    """
    caller, options = request.caller, request.options
    if options.get("password"):
        throttling.require_few_refusals(caller.account, "generate_config")
    if caller.limited_to:
        access.client(caller, name=options["name"])
    named = {"fileset": access.fileset, "pool": access.pool, "zone": access.zone}
    options |= {
        what: find(caller, options[what]) for what, find in named.items() if what in options
    }
    client, installed = clients.generate(caller.account, system=system, **options)
    return {**_config(client), "key_installed": installed}


def _config(client):
    return {"client": client.name, "system": client.system, **vars(clients.config(client))}


@operation(26, topic="clients", answer=BackupOptionsAnswer, refusals=(404, 409))
def backup_options(request, client_ip, system):
    """Get a client's backup options.

    The levels, filesets and pools to choose from, and the defaults.
    """
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
            "level": control.DEFAULT_LEVEL,
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
)
def delete_client(request, client_name):
    """Delete a client.

    It disappears from the API at once, while the operator keeps its backups for a time. A client
    with an unfinished job is refused.
    """
    client = access.client(request.caller, name=client_name)
    clients.delete(client)
    return {"client": client.name, "deleted": True}


@operation(
    8,
    topic="clients",
    answer=CommandResult,
    options=RunCommand,
    writes=True,
    refusals=(404, 409, 502, 503),
)
def run(request, client_ip):
    """Run a command on a client.

    Returns what it prints. The operator lists the command lines that are allowed, and so does the
    refusal of any other.
    """
    client = access.client(request.caller, ip=client_ip)
    return {"result": commands.run(client, request.options["cmd"])}
