"""What an installation of Bacula consists of, as records of an account."""

import re
from functools import cached_property

from django.db import IntegrityError, transaction
from django.db.models import F

from ....lib.addresses import normalized
from ....models import Client, Fileset, Pool, Storage
from ....services import filesets, pools
from .. import names
from .inventory import FoundClient, FoundFileset, FoundPool
from .report import Tally

NO_SLUG = re.compile(r"[^A-Za-z0-9_-]+")
NOT_IN_PATHS = re.compile(r"[/\x00-\x1f\x7f]+")


class Adopter:
    """Makes a record of each thing that was found, and brings those up to date that are here.

    One whose name is taken gets a number. What cannot be stored is a problem of the tally.
    """

    def __init__(self, engine, account, zone, tally: Tally):
        self._engine, self._account, self._zone, self._tally = engine, account, zone, tally

    def storage(self, name: str) -> None:
        if name not in self._storages:
            slug = NO_SLUG.sub("-", name).strip("-") or "storage"
            values = {"zone": self._zone, "kind": self._engine.storage_kind, "engine_name": name}
            if made := self._make(Storage.objects.all(), slug, values):
                self._storages[name] = made

    def pool(self, found: FoundPool) -> None:
        known, storage = self._pools.get(found.name), self._storages.get(found.storage)
        values = {"retention_days": found.retention_days}
        if known:
            is_near = storage and storage.zone_id == known.storage.zone_id
            self._update(known, storage=storage if is_near else known.storage, **values)
        elif storage := storage or self._first_storage():
            values |= {"storage": storage, "engine_name": found.name}
            if made := self._make(self._of_account(Pool), found.name, values):
                self._pools[found.name] = made
        else:
            self._tally.problems.append(f"Pool '{found.name}' has no storage: it was left out.")

    def fileset(self, found: FoundFileset) -> None:
        values = vars(found.shown)
        if known := self._filesets.get(found.name):
            self._update(known, **values)
        else:
            values = values | {"engine_name": found.name}
            if made := self._make(self._of_account(Fileset), found.name, values):
                self._filesets[found.name] = made

    def client(self, found: FoundClient) -> Client | None:
        """Return the client as it is here now; None for one that is left out, which is told."""
        known = self._clients.get(found.name)
        if not known and (elsewhere := self._elsewhere(found.name)):
            self._tally.remarks.append(f"Client '{found.name}' {elsewhere}: it was left out.")
        elif other := self._present.filter(ip=found.ip).exclude(pk=known and known.pk).first():
            self._tally.problems.append(
                f"Client '{found.name}' has the address '{found.ip}', which is that of client "
                f"'{other}': it was left out."
            )
        elif known:
            return self._update(known, **_place(found))
        else:
            return self._new_client(found)
        return None

    # --- What is here ------------------------------------------------------------------------

    @cached_property
    def _storages(self) -> dict[str, Storage]:
        found = Storage.objects.filter(zone__engine=self._engine.alias).select_related("zone")
        return {names.storage(each): each for each in found}

    @cached_property
    def _pools(self) -> dict[str, Pool]:
        here = self._of_account(Pool).filter(storage__zone__engine=self._engine.alias)
        found = here.exclude(engine_name="").select_related("storage__zone")
        return {each.engine_name: each for each in found}

    @cached_property
    def _filesets(self) -> dict[str, Fileset]:
        found = self._of_account(Fileset).exclude(engine_name="")
        return {each.engine_name: each for each in found}

    @cached_property
    def _clients(self) -> dict[str, Client]:
        found = self._present.filter(zone__engine=self._engine.alias).exclude(engine_name="")
        return {each.engine_name: each for each in found}

    @property
    def _present(self):
        return Client.objects.present().filter(account=self._account)

    def _of_account(self, model):
        return model.objects.filter(account=self._account)

    def _first_storage(self):
        found = [each for each in self._storages.values() if each.zone_id == self._zone.pk]
        return min(found, key=lambda storage: storage.name, default=None)

    def _elsewhere(self, name) -> str:
        """Return in words where else a client is known; "" if nowhere."""
        same = {"engine_name": name, "zone__engine": self._engine.alias}
        other = Client.objects.filter(**same).order_by(F("deleted").desc(nulls_first=True))
        if not (found := other.select_related("account").first()):
            return ""
        if found.account != self._account:
            return f"belongs to the account '{found.account}'"
        return "was deleted here"

    # --- Storing -----------------------------------------------------------------------------

    def _new_client(self, found) -> Client | None:
        fileset = self._filesets.get(found.fileset)
        pool = self._pools.get(found.pool) or pools.default(self._account, self._zone)
        values = _place(found) | {
            "fileset": fileset or filesets.default(self._account, found.system),
            "pool": pool,
            "zone": pool.storage.zone,
            "connection": Client.Connection.AGENT,
            "engine_name": found.name,
        }
        # A name that looks like an address would be taken for that of another client.
        is_misleading = normalized(found.name) not in (None, found.ip)
        name = f"client-{found.name}" if is_misleading else found.name
        return self._make(self._present, name, values)

    def _make(self, others, name, values):
        """Store and return a record among others with a name that is free; None if it cannot be."""
        model, kind = others.model, others.model._meta.verbose_name
        owner = {} if model is Storage else {"account": self._account}
        free = _free(NOT_IN_PATHS.sub("-", name), others)
        try:
            with transaction.atomic():
                made = model.objects.create(name=free, **owner, **values)
        except IntegrityError as e:
            self._tally.problems.append(f"The {kind} '{name}' could not be stored: {e}")
            return None
        self._tally.adopted[kind].append(free)
        if free != values["engine_name"]:
            called = values["engine_name"]
            self._tally.remarks.append(f"The {kind} '{called}' of Bacula is called '{free}' here.")
        return made

    def _update(self, record, **values):
        """Bring a record up to date and return it."""
        changed = {name: value for name, value in values.items() if getattr(record, name) != value}
        for name, value in changed.items():
            setattr(record, name, value)
        if changed:
            record.save(update_fields=list(changed))
            self._tally.updated[record._meta.verbose_name].append(record.name)
        return record


def _place(found):
    return {"ip": found.ip, "agent_port": found.port, "system": found.system}


def _free(name: str, others) -> str:
    """Return a name that none of the others has: this one as far as it fits, or with a number."""
    longest = others.model._meta.get_field("name").max_length
    taken = set(others.values_list("name", flat=True))
    free, number = name[:longest], 1
    while free in taken or free in {"", ".", ".."}:
        number += 1
        ending = f"-{number}"
        free = name[: longest - len(ending)] + ending
    return free
