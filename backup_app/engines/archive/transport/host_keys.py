"""The host keys by which clients are known: pinned once, never replaced in silence."""

from ....conf import conf
from ....exceptions import EngineUnreachable, WrongState
from .process import Process
from .ssh import address

MAX_BYTES = 100_000  # of what ssh-keyscan prints


def shown_host_keys(client) -> list[str]:
    """Return the public keys that the client's SSH server shows now: type and key.

    Whether they are the right ones is for a person to compare. Raises EngineUnreachable.
    """
    place = ["-p", str(client.ssh_port), address(client)]
    scan = ["ssh-keyscan", "-T", str(conf.SSH_CONNECT_SECONDS), *place]
    with Process(scan) as process:
        printed = process.read_all(MAX_BYTES).decode()
        process.close()
    keys = [line.split()[1:3] for line in printed.splitlines() if not line.startswith("#")]
    if not keys:
        raise EngineUnreachable(
            f"Client '{client}' showed no host key at {address(client)}, port {client.ssh_port}."
        )
    return sorted(" ".join(key) for key in keys)


def pin(client, keys: list[str], *, replace: bool = False) -> None:
    """Accept only these host keys of the client from now on.

    Raises WrongState, unless ``replace``, when others are pinned: somebody else may answer there.
    """
    host_key = "".join(f"{key}\n" for key in keys)
    pinned = type(client).objects.filter(pk=client.pk)
    # One statement, so that of two who pin at the same time the second sees the first's.
    may = pinned if replace else pinned.filter(host_key="")
    if not may.update(host_key=host_key):
        client.refresh_from_db(fields=["host_key"])
        require_pinned(client, keys)
        return
    client.host_key = host_key


def require_pinned(client, keys: list[str]) -> None:
    """Raise WrongState if one of these keys is not among the client's pinned ones."""
    if set(keys) - set(pinned_keys(client)):
        raise WrongState(
            f"Client '{client}' shows another host key than the one that is pinned. If its SSH "
            f"server was really set up anew, pin the new one: manage.py pin_host_key --replace."
        )


def pinned_keys(client) -> list[str]:
    """Return the pinned public keys: type and key."""
    return [" ".join(line.split()[:2]) for line in client.host_key.splitlines() if line.strip()]


def strangers(client, keys: list[str]) -> list:
    """Return clients of other accounts that are known by one of these keys: the same machine."""
    others = type(client).objects.present().exclude(account=client.account_id)
    known = others.exclude(host_key="").select_related("account")
    return [other for other in known if set(keys) & set(pinned_keys(other))]
