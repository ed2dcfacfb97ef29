"""Command lines of the system's ``ssh``, independent of the configuration of this machine."""

import os
from pathlib import Path

from ....conf import conf
from ....models import Client


def ssh(client: Client, *, known_hosts: Path, alias: str, **options: object) -> list[str]:
    """Return the arguments that log in to a client; the remote command line is to follow.

    ``known_hosts`` has the host keys of ``alias``; ``options`` are those of ``ssh_config(5)``.
    """
    common = {
        "UserKnownHostsFile": known_hosts,
        "GlobalKnownHostsFile": os.devnull,
        "HostKeyAlias": alias,
        "CheckHostIP": "no",
        "UpdateHostKeys": "no",
        "ClearAllForwardings": "yes",
        "ConnectTimeout": conf.SSH_CONNECT_SECONDS,
        "LogLevel": "ERROR",
        "User": client.ssh_user,
        "Port": client.ssh_port,
    }
    values = (common | options).items()
    words = [word for name, value in values for word in ("-o", f'{name}="{value}"')]
    return ["ssh", "-F", "none", "-T", *words, "--", address(client)]


def address(client: Client) -> str:
    """Return the address at which the server reaches a client."""
    return str(client.internal_ip or client.ip)
