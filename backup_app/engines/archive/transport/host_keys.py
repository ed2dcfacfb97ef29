"""The SSH host keys of clients: pinned once, and replaced only on request."""

from ....conf import conf
from ....exceptions import EngineUnreachable, WrongState
from ....models import Client
from .process import Process
from .ssh import address

MAX_BYTES = 100_000  # of the output of ssh-keyscan, which is some 100 bytes a key


def scan_host_keys(client: Client) -> list[str]:
    """Return the public keys that the client's SSH server presents now, as "type key".

    They are unverified: a person must compare them. Raises EngineUnreachable.
    """
    place = ["-p", str(client.ssh_port), address(client)]
    scan = ["ssh-keyscan", "-T", str(conf.SSH_CONNECT_SECONDS), *place]
    with Process(scan) as process:
        printed = process.read_all(MAX_BYTES).decode()
        process.close()
    keys = [line.split()[1:3] for line in printed.splitlines() if not line.startswith("#")]
    if not keys:
        raise EngineUnreachable(
            f"Client '{client}' presented no host key at {address(client)}, port {client.ssh_port}."
        )
    return sorted(" ".join(key) for key in keys)


def pin(client: Client, keys: list[str], *, replace: bool = False) -> None:
    """Accept only these host keys of the client from now on.

    Raises WrongState if others are pinned, unless ``replace``: another machine may answer there.
    """
    host_key = "".join(f"{key}\n" for key in keys)
    pinned = Client.objects.filter(pk=client.pk)
    # One statement, so that of two concurrent calls the second sees the keys of the first.
    writable = pinned if replace else pinned.filter(host_key="")
    if not writable.update(host_key=host_key):
        client.refresh_from_db(fields=["host_key"])
        require_pinned(client, keys)
        return
    client.host_key = host_key


def require_pinned(client: Client, keys: list[str]) -> None:
    """Raise WrongState if one of these keys is not among the client's pinned ones."""
    if set(keys) - set(pinned_keys(client)):
        raise WrongState(
            f"Client '{client}' presents a host key other than the pinned one. If its SSH server"
            " was reinstalled, pin the new key: manage.py pin_host_key --replace."
        )


def pinned_keys(client: Client) -> list[str]:
    """Return the pinned public keys, as "type key"."""
    return [" ".join(line.split()[:2]) for line in client.host_key.splitlines() if line.strip()]
