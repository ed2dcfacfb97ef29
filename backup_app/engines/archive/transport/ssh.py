"""The system's ``ssh``, told everything, so that no configuration of this machine matters."""

import os
from pathlib import Path

from ....conf import conf


def ssh(client, *, known_hosts: Path, alias: str, **options) -> list[str]:
    """Return the words that log in to a client; the command line there is to follow.

    ``known_hosts`` has the host keys of ``alias``; ``options`` are those of ``ssh_config``.
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


def address(client) -> str:
    """Return where the server reaches a client."""
    return client.internal_ip or client.ip
