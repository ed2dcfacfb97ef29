"""Finding or making what a rebuilt job belongs to: account, client, fileset, pool."""

from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from ....exceptions import WrongState
from ....lib.bulk import keep_id
from ....models import Client, Fileset, Pool, Storage, Volume, Zone
from ..storage.manifest import Head


class Owners:
    """Finds what jobs belong to, by name, or makes it as the manifests say.

    What belongs to an account that does not exist goes to ``heir``, or without one to a new
    account, which has no password: it can log in once it gets one or an API key. With ``dry_run``
    nothing is stored. The manifests must be given newest first, so that the newest values count.
    """

    def __init__(self, storage: Storage, *, dry_run: bool = False, heir: Any = None):
        self._storage = storage
        self._dry_run = dry_run
        self._heir = heir
        self._clients: dict[tuple[str, int], Client] = {}
        self._others: dict[tuple[Any, ...], Any] = {}

    def client(self, head: Head) -> Client:
        """Return the client of a manifest; raises WrongState when another has its address."""
        key = (head["account"]["login"], head["client"]["id"])
        if key not in self._clients:
            with transaction.atomic():
                self._clients[key] = self._find_client(head)
        return self._clients[key]

    def fileset(self, head: Head) -> Fileset:
        """Return the fileset of a manifest."""
        found: Fileset = self._named(Fileset, head, head["fileset"])
        return found

    def pool(self, head: Head) -> Pool:
        """Return the pool of a manifest."""
        found: Pool = self._named(Pool, head, head["pool"], storage=self._storage)
        return found

    def _find_client(self, head: Head) -> Client:
        account, values = self._account(head["account"]), dict(head["client"])
        old_id, name = values.pop("id"), values.pop("name")
        # It may have been renamed since: its volumes still have its ID.
        volumes = Volume.objects.filter(path__startswith=f"volumes/{old_id}/")
        if known := volumes.filter(job__account_id=account.pk, job__storage=self._storage).first():
            return known.job.client
        present = Client.objects.present().filter(account_id=account.pk)
        if found := present.filter(name=name).first():
            # Of two accounts that were lost, each may have had a client of this name.
            if account == self._heir and found.pk != old_id:
                raise WrongState(
                    f"Client '{name}' of account '{head['account']['login']}' cannot be restored:"
                    f" account '{account}' already has a client of this name."
                )
            return found
        if other := present.filter(ip=values["ip"]).first():
            raise WrongState(
                f"Client '{name}' cannot be restored: client '{other}' has its address {other.ip}."
            )
        client = Client(account=account, name=name, zone=self._zone(head["zone"]), **values)
        client.fileset, client.pool = self.fileset(head), self.pool(head)
        self._save(client, old_id)
        return client

    def _account(self, values: dict[str, Any]) -> Any:
        users = get_user_model()
        key = ("account", values["login"])
        if key not in self._others:
            found = users.objects.filter(**{users.USERNAME_FIELD: values["login"]}).first()
            if found is None and values["email"]:
                found = users.objects.filter(email__iexact=values["email"]).first()
            found = found or self._heir
            if found is None:
                found = users(**{users.USERNAME_FIELD: values["login"]}, email=values["email"])
                found.set_unusable_password()
                self._save(found)
            self._others[key] = found
        return self._others[key]

    def _zone(self, values: dict[str, Any]) -> Zone:
        return Zone.objects.filter(name=values["name"]).first() or self._storage.zone

    def _named(self, model: Any, head: Head, values: dict[str, Any], **others: Any) -> Any:
        account = self._account(head["account"])
        key = (model, account.get_username(), values["name"])
        if key not in self._others:
            found = model.objects.filter(account_id=account.pk, name=values["name"]).first()
            if found is None:
                found = model(account=account, **others, **values)
                self._save(found)
            self._others[key] = found
        return self._others[key]

    def _save(self, row: Any, old_id: int | None = None) -> None:
        if self._dry_run:
            return
        if old_id is None or type(row).objects.filter(pk=old_id).exists():
            row.save()
        else:
            row.pk = old_id
            row.save(force_insert=True)
            keep_id(type(row))


def moment(text: str | None) -> datetime | None:
    """Return a time of a manifest, which is text in ISO 8601."""
    return datetime.fromisoformat(text) if text else None
