"""What a manifest says around its job: the account, client, fileset, pool. Found, or made again."""

from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from ....exceptions import WrongState
from ....lib.bulk import keep_id
from ....models import Client, Fileset, Pool, Storage, Volume, Zone


class Surroundings:
    """Finds what jobs belong to by its name; what is not there is made as the manifests say.

    An account that is made can log in once it is given an API key or a password, by nothing else.
    With ``dry_run`` nothing is stored. The manifests are to come newest first: what they say last
    counts.
    """

    def __init__(self, storage: Storage, *, dry_run: bool = False):
        self._storage = storage
        self._dry_run = dry_run
        self._clients: dict[tuple, Client] = {}
        self._others: dict[tuple, Any] = {}

    def client(self, head: dict[str, Any]) -> Client:
        """Return the client of a manifest; raises WrongState when another has its address."""
        key = (head["account"]["login"], head["client"]["id"])
        if key not in self._clients:
            with transaction.atomic():
                self._clients[key] = self._found_client(head)
        return self._clients[key]

    def fileset(self, head: dict[str, Any]) -> Fileset:
        return self._named(Fileset, head, head["fileset"])

    def pool(self, head: dict[str, Any]) -> Pool:
        return self._named(Pool, head, head["pool"], storage=self._storage)

    def _found_client(self, head):
        account, values = self._account(head["account"]), dict(head["client"])
        old_id, name = values.pop("id"), values.pop("name")
        # It may have another name by now.
        volumes = Volume.objects.filter(path__startswith=f"volumes/{old_id}/")
        if known := volumes.filter(job__account_id=account.pk, job__storage=self._storage).first():
            return known.job.client
        present = Client.objects.present().filter(account_id=account.pk)
        if found := present.filter(name=name).first():
            return found
        if other := present.filter(ip=values["ip"]).first():
            raise WrongState(
                f"Client '{name}' cannot come back: client '{other}' has its address {other.ip}."
            )
        client = Client(account=account, name=name, zone=self._zone(head["zone"]), **values)
        client.fileset, client.pool = self.fileset(head), self.pool(head)
        self._save(client, old_id)
        return client

    def _account(self, values):
        users = get_user_model()
        key = ("account", values["login"])
        if key not in self._others:
            found = users.objects.filter(**{users.USERNAME_FIELD: values["login"]}).first()
            if found is None and values["email"]:
                found = users.objects.filter(email__iexact=values["email"]).first()
            if found is None:
                found = users(**{users.USERNAME_FIELD: values["login"]}, email=values["email"])
                found.set_unusable_password()
                self._save(found)
            self._others[key] = found
        return self._others[key]

    def _zone(self, values):
        return Zone.objects.filter(name=values["name"]).first() or self._storage.zone

    def _named(self, model, head, values, **others):
        account = self._account(head["account"])
        key = (model, account.get_username(), values["name"])
        if key not in self._others:
            found = model.objects.filter(account_id=account.pk, name=values["name"]).first()
            if found is None:
                found = model(account=account, **others, **values)
                self._save(found)
            self._others[key] = found
        return self._others[key]

    def _save(self, row, old_id: int | None = None) -> None:
        if self._dry_run:
            return
        if old_id is None or type(row).objects.filter(pk=old_id).exists():
            row.save()
        else:
            row.pk = old_id
            row.save(force_insert=True)
            keep_id(type(row))


def moment(text: str | None) -> datetime | None:
    """Return a manifest's time."""
    return datetime.fromisoformat(text) if text else None
