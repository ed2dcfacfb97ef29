"""Records the storages, pools, filesets and clients of an installation that an engine found."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db import IntegrityError, models, transaction
from django.db.models import F, QuerySet

from ..engines.adoption import Found, FoundClient, FoundFileset, FoundPool, FoundStorage, NotAdopted
from ..engines.base import Engine
from ..lib import addresses
from ..lib.formatting import counted
from ..models import Client, Fileset, Pool, Storage, Zone
from . import filesets, pools

NO_SLUG = re.compile(r"[^A-Za-z0-9_-]+")
NOT_IN_PATHS = re.compile(r"[/\x00-\x1f\x7f]+")


@dataclass
class Report:
    """The result of an adoption: names by kind, numbers of jobs by what was done, and sentences.

    ``remarks`` are good to know; ``problems`` say what was left out and should not be.
    """

    adopted: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    updated: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    jobs: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _of_jobs: Counter[tuple[str, str]] = field(default_factory=Counter)

    def remark_on_job(self, client: str, what: str) -> None:
        """Note something about a job of a client; the same about several is one remark."""
        self._of_jobs[client, what] += 1

    @property
    def remarks_on_jobs(self) -> list[str]:
        return [
            f"{counted(number, 'job')} of client '{client}': {what}."
            for (client, what), number in self._of_jobs.items()
        ]


class Recorder:
    """Makes a record of each thing that was found, and updates those that exist.

    A record whose name is taken gets a number. What cannot be stored is a problem of the report.
    """

    def __init__(self, engine: Engine, account: Any, zone: Zone, report: Report):
        self._engine, self._account, self._zone, self._report = engine, account, zone, report

    def record(self, found: Found) -> None:
        """Record one thing; what others refer to has to come before them."""
        match found:
            case FoundStorage():
                self._record_storage(found)
            case FoundPool():
                self._record_pool(found)
            case FoundFileset():
                self._record_fileset(found)
            case FoundClient():
                self._record_client(found)
            case NotAdopted(reason):
                self._report.problems.append(reason)

    def _record_storage(self, found: FoundStorage) -> None:
        if found.name not in self._storages:
            slug = NO_SLUG.sub("-", found.name).strip("-") or "storage"
            values = {"zone": self._zone, "kind": self._engine.storage_kind}
            self._make(self._storages, Storage.objects.all(), slug, found.name, values)

    def _record_pool(self, found: FoundPool) -> None:
        known, storage = self._pools.get(found.name), self._storages.get(found.storage)
        values: dict[str, Any] = {"retention_days": found.retention_days}
        if known:
            is_in_zone = storage and storage.zone_id == known.storage.zone_id
            self._update(known, storage=storage if is_in_zone else known.storage, **values)
        elif storage := storage or self._first_storage():
            values |= {"storage": storage}
            self._make(self._pools, self._of_account(Pool), found.name, found.name, values)
        else:
            self._report.problems.append(f"Pool '{found.name}' has no storage: it was left out.")

    def _record_fileset(self, found: FoundFileset) -> None:
        values = {"include": found.include, "exclude": found.exclude, "options": found.options}
        if known := self._filesets.get(found.name):
            self._update(known, **values)
        else:
            self._make(self._filesets, self._of_account(Fileset), found.name, found.name, values)

    def _record_client(self, found: FoundClient) -> None:
        known = self._clients.get(found.name)
        others = self._present.exclude(pk=known.pk) if known else self._present
        if not known and (elsewhere := self._elsewhere(found.name)):
            self._report.remarks.append(f"Client '{found.name}' {elsewhere}: it was left out.")
        elif other := others.filter(ip=found.ip).first():
            self._report.problems.append(
                f"Client '{found.name}' has the address '{found.ip}', which is that of client "
                f"'{other}': it was left out."
            )
        elif known:
            self._update(known, **_location(found))
        else:
            self._make_client(found)

    # --- Existing records --------------------------------------------------------------------

    @cached_property
    def _storages(self) -> dict[str, Storage]:
        found = Storage.objects.filter(zone__engine=self._engine.alias).select_related("zone")
        return {self._engine.name_of(each): each for each in found}

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
    def _present(self) -> QuerySet[Client]:
        return Client.objects.present().filter(account=self._account)

    def _of_account(self, model: type[models.Model]) -> QuerySet[Any]:
        return model._default_manager.filter(account=self._account)

    def _first_storage(self) -> Storage | None:
        found = [each for each in self._storages.values() if each.zone_id == self._zone.pk]
        return min(found, key=lambda storage: storage.name, default=None)

    def _elsewhere(self, name: str) -> str:
        """Return why a client cannot be adopted here: another account, or deleted; "" if it can."""
        same = {"engine_name": name, "zone__engine": self._engine.alias}
        other = Client.objects.filter(**same).order_by(F("deleted").desc(nulls_first=True))
        if not (found := other.select_related("account").first()):
            return ""
        if found.account != self._account:
            return f"belongs to the account '{found.account}'"
        return "was deleted here"

    # --- Storing -----------------------------------------------------------------------------

    def _make_client(self, found: FoundClient) -> None:
        fileset = self._filesets.get(found.fileset)
        pool = self._pools.get(found.pool) or pools.default(self._account, self._zone)
        values = _location(found) | {
            "fileset": fileset or filesets.default(self._account, found.system),
            "pool": pool,
            "zone": pool.storage.zone,
            "connection": self._engine.connections[0],
        }
        # A name that looks like an address would be taken for that of another client.
        is_misleading = addresses.normalized(found.name) not in (None, found.ip)
        name = f"client-{found.name}" if is_misleading else found.name
        self._make(self._clients, self._present, name, found.name, values)

    def _make(
        self,
        known: dict[str, Any],
        others: QuerySet[Any],
        name: str,
        engine_name: str,
        values: Mapping[str, Any],
    ) -> None:
        """Store a record among others under a name that is free, and add it to the known ones."""
        model, kind = others.model, others.model._meta.verbose_name
        owner = {} if model is Storage else {"account": self._account}
        free = _free_name(NOT_IN_PATHS.sub("-", name), others)
        try:
            # A savepoint, so that one invalid record does not end the whole transaction.
            with transaction.atomic():
                known[engine_name] = model.objects.create(
                    name=free, engine_name=engine_name, **owner, **values
                )
        except IntegrityError as e:
            self._report.problems.append(f"The {kind} '{name}' could not be stored: {e}")
            return
        self._report.adopted[kind].append(free)
        if free != engine_name:
            self._report.remarks.append(
                f"The {kind} '{engine_name}' of {self._engine.name.title()} is called '{free}' "
                "here."
            )

    def _update(self, record: Any, **values: Any) -> None:
        changed = {name: value for name, value in values.items() if getattr(record, name) != value}
        for name, value in changed.items():
            setattr(record, name, value)
        if changed:
            record.save(update_fields=list(changed))
            self._report.updated[record._meta.verbose_name].append(record.name)


def _location(found: FoundClient) -> dict[str, Any]:
    return {"ip": found.ip, "agent_port": found.port, "system": found.system}


def _free_name(name: str, others: QuerySet[Any]) -> str:
    """Return a name that no other record has: this one, cut to fit, or with a number."""
    longest = others.model._meta.get_field("name").max_length
    taken = set(others.values_list("name", flat=True))
    free, number = name[:longest], 1
    while free in taken or free in {"", ".", ".."}:
        number += 1
        ending = f"-{number}"
        free = name[: longest - len(ending)] + ending
    return free
