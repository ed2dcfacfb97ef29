"""The text of the resources that this service adds to a Director: clients, jobs, pools, storages.

Each function takes names that ``names`` made and values of our models, and returns the text of one
resource. Raises EngineError for a value that cannot stand in the configuration.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ....models import Client
from ....models.client import DEFAULT_PRIORITY
from ..names import in_config, word

# Only our own ``prune`` decides what is removed, since it knows which backups build on which. A
# console's ``prune`` and ``prune expired volume`` obey these periods.
FOREVER = "36500 days"
DISCARD = 9  # a port that nothing listens on
BLOCKED = "12 hours"  # after which a job no longer waits for a volume or a device
RESTORED = "/var/lib/bacula/restored"  # the destination of restores started without one


def messages(name: str) -> str:
    """Return the resource that writes the logs of jobs to the catalog only."""
    return resource("Messages", {"Name": name, "Catalog": Unquoted("all, !skipped, !saved")})


def client(name: str, client: Client, *, password: str, catalog: str) -> str:
    """Return a client, whose file daemon the Director connects to with this password."""
    values = {
        "Name": name,
        "Address": address(client),
        "FD Port": client.agent_port,
        "Catalog": catalog,
        "Password": password,
        "Auto Prune": False,
        "File Retention": Unquoted(FOREVER),
        "Job Retention": Unquoted(FOREVER),
        # Its backup, a restore, and the commands that people wait for.
        "Maximum Concurrent Jobs": 10,
    }
    return resource("Client", values)


def placeholder(name: str, catalog: str) -> str:
    """Return a client, a pool and a storage that lead nowhere; see ``names.placeholder``."""
    place = {"Name": name, "Address": "127.0.0.1", "Password": name}
    return "\n".join(
        (
            resource("Client", {**place, "FD Port": DISCARD, "Catalog": catalog}),
            resource("Pool", {"Name": name, "Pool Type": Unquoted("Backup")}),
            resource("Storage", {**place, "SD Port": DISCARD, "Device": name, "Media Type": name}),
        )
    )


def address(client: Client) -> str:
    """Return where the Director reaches a client."""
    return client.internal_ip or client.ip


def pool(name: str) -> str:
    """Return a pool in which each job has volumes of its own, that go when the job does."""
    values = {
        "Name": name,
        "Pool Type": Unquoted("Backup"),
        "Label Format": f"{name}-",
        "Maximum Volume Jobs": 1,
        "Volume Retention": Unquoted(FOREVER),
        "File Retention": Unquoted(FOREVER),
        "Job Retention": Unquoted(FOREVER),
        "Auto Prune": False,
        "Recycle": True,
        "Action On Purge": Unquoted("Truncate"),
    }
    return resource("Pool", values)


def storage(name: str, values: Mapping[str, Any]) -> str:
    """Return a storage daemon as ``storages.read`` has it."""
    lines = {
        "Name": name,
        "Address": values["address"],
        "SD Port": values["port"],
        "Password": values["password"],
        "Device": values["device"],
        "Media Type": values["media_type"],
        "Maximum Concurrent Jobs": values["maximum_concurrent_jobs"],
    }
    if values["autochanger"]:
        lines["Autochanger"] = name
    return resource("Storage", lines)


def backup_job(name: str, client: Client, /, **uses: str) -> str:
    """Return the job that backs up a client, with its priority and bandwidth limit.

    ``uses`` are client, fileset, pool, storage, messages, and a schedule if it has one. One backup
    runs at a time, and what did not come to its end is not begun again by Bacula itself.
    """
    values = {
        "Type": Unquoted("Backup"),
        "Level": Unquoted("Incremental"),
        "Accurate": True,  # otherwise deleted files reappear in the view of an incremental
        "Allow Duplicate Jobs": False,
        "Maximum Concurrent Jobs": 1,
        "Reschedule Incomplete Jobs": False,
        "Max Wait Time": Unquoted(BLOCKED),
        "Priority": client.priority or DEFAULT_PRIORITY,
    }
    if client.bandwidth_limit:
        values["Maximum Bandwidth"] = client.bandwidth_limit
    return _job(name, values, uses)


def schedule(name: str, lines: Iterable[str]) -> str:
    """Return a schedule by which a Director starts a job itself; see ``schedule_resource``."""
    return resource("Schedule", {"Name": name}, *lines)


def restore_job(name: str, **uses: str) -> str:
    """Return the job that restores to a client; ``uses`` are as for ``backup_job``."""
    values = {
        "Type": Unquoted("Restore"),
        "Where": RESTORED,
        "Replace": Unquoted("Always"),
        "Maximum Concurrent Jobs": 10,
        "Max Wait Time": Unquoted(BLOCKED),
    }
    return _job(name, values, uses)


def verify_job(name: str, **uses: str) -> str:
    """Return the job that reads a backup's volumes again, comparing them with the catalog."""
    values = {
        "Type": Unquoted("Verify"),
        "Level": Unquoted("VolumeToCatalog"),
        "Maximum Concurrent Jobs": 10,
        "Max Wait Time": Unquoted(BLOCKED),
    }
    return _job(name, values, uses)


def command_job(name: str, words: Sequence[str], **uses: str) -> str:
    """Return the job that runs a command line on a client and has its output in the log.

    It is a verification of nothing: that is the kind that needs no storage daemon and no volume.
    """
    values = {
        "Type": Unquoted("Verify"),
        "Level": Unquoted("InitCatalog"),
        "Maximum Concurrent Jobs": 10,
        "Max Wait Time": Unquoted(BLOCKED),
    }
    script = {
        "Runs When": Unquoted("Before"),
        "Runs On Client": True,
        "Fail Job On Error": True,
        "Command": " ".join(words),
    }
    return _job(name, values, uses, resource("RunScript", script))


class Unquoted(str):
    """A value without quotation marks: one or more keywords."""


def resource(kind: str, values: Mapping[str, Any], *inner: str) -> str:
    """Return a resource's text: ``inner`` are resources in it."""
    lines = [f"{name} = {_written(value)}" for name, value in values.items()]
    lines += [line for text in inner for line in text.splitlines()]
    return "".join([f"{kind} {{\n", *(f"  {line}\n" for line in lines), "}\n"])


def _job(name: str, values: Mapping[str, Any], uses: Mapping[str, str], *inner: str) -> str:
    used = {kind.title(): word(each) for kind, each in uses.items()}
    # Otherwise a job waits for running ones of any other priority, not only for more urgent ones.
    mixed = {"Allow Mixed Priority": True}
    return resource("Job", {"Name": name, **used, **values, **mixed}, *inner)


def _written(value: Any) -> str | int:
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | Unquoted():
            return value
        case _:
            return in_config(value)
