"""Pinning the SSH host keys of clients, which a person has compared."""

from dataclasses import dataclass

from ..engines import get_engine
from ..exceptions import WrongState
from ..lib import ssh_keys
from ..models import Client


@dataclass(frozen=True)
class HostKeys:
    """The keys, as "type key", that a client shows, beside those that are pinned."""

    client: Client
    shown: list[str]

    @property
    def fingerprints(self) -> list[tuple[str, str]]:
        """Return the type and fingerprint of each key shown."""
        return _fingerprints(self.shown)

    @property
    def pinned(self) -> list[tuple[str, str]]:
        """Return the type and fingerprint of each pinned key."""
        return _fingerprints(self.client.host_key.splitlines())

    @property
    def are_pinned(self) -> bool:
        """Return whether exactly these keys are pinned."""
        return sorted(self.pinned) == sorted(self.fingerprints)


def shown_by(client: Client) -> HostKeys:
    """Return the keys that a client shows now, unverified.

    Raises WrongState for a client that has none, EngineUnreachable.
    """
    engine = get_engine(client.zone.engine)
    if client.connection != Client.Connection.SSH or not engine.supports_host_keys:
        how = client.get_connection_display()
        raise WrongState(f"Client '{client}' is not backed up over SSH but '{how}'.")
    return HostKeys(client, engine.host_keys(client))


def pin(client: Client, keys: list[str], *, replace: bool = False, shared: bool = False) -> None:
    """Accept only these keys of a client from now on.

    Raises WrongState if others are pinned, unless ``replace``, and for the machine of another
    account, which ``client`` could then read and change, unless ``shared``.
    """
    if not shared and same_machines(client, keys):
        raise WrongState(f"The machine of client '{client}' is a client of another account.")
    get_engine(client.zone.engine).pin_host_keys(client, keys, replace=replace)


def same_machines(client: Client, keys: list[str]) -> list[Client]:
    """Return the clients of other accounts with one of these keys: they are the same machine."""
    others = Client.objects.present().exclude(account=client.account_id)
    known = others.exclude(host_key="").select_related("account")
    wanted = set(_fingerprints(keys))
    return [each for each in known if wanted & set(_fingerprints(each.host_key.splitlines()))]


def _fingerprints(keys: list[str]) -> list[tuple[str, str]]:
    found = (line.split() for line in ssh_keys.fingerprints("\n".join(keys)))
    return [(kind, value) for kind, value in found]
