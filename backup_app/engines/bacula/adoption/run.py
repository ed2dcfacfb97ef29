"""Adopting an installation of Bacula that was there before this service into an account."""

from collections.abc import Collection, Iterator

from django.db import transaction

from ....lib.formatting import counted
from ....models import Client, Job
from ..catalog import job_history
from ..catalog.records import JobRow
from . import mailboxes
from .history import adopt_history
from .inventory import FoundClient, FoundFileset, FoundPool, Inventory
from .jobs import Known
from .records import Adopter
from .report import Tally


class Adoption:
    """One run, in four steps: ``look``, ``store``, ``adopt_jobs`` and ``harvest``.

    ``tally`` says what came of it.

    ``clients`` are their names in Bacula; none are all. What the operator has configured stays as
    it is; nothing is written to Bacula. May be done again: it adds what is new and brings up to
    date what is here. All steps raise EngineUnreachable and EngineError.
    """

    def __init__(
        self, engine, account, zone, clients: Collection[str] = (), *, dry_run: bool = False
    ):
        self.tally = Tally()
        self._engine, self._account, self._zone = engine, account, zone
        self._wanted, self._dry_run = set(clients), dry_run
        self._storages: list[str] = []
        self._pools: list[FoundPool] = []
        self._filesets: list[FoundFileset] = []
        self._clients: list[FoundClient] = []

    def look(self) -> Iterator[FoundClient]:
        """Ask the Director for what there is; yield each client."""
        with self._engine.director() as director:
            inventory = Inventory(self._engine, director, self.tally)
            self._storages, self._pools = inventory.storages(), inventory.pools()
            self._filesets = inventory.filesets()
            for client in inventory.clients(self._wanted):
                self._clients.append(client)
                yield client

    @transaction.atomic
    def store(self) -> None:
        """Make records of what was found."""
        adopter = Adopter(self._engine, self._account, self._zone, self.tally)
        for storage in self._storages:
            adopter.storage(storage)
        for pool in self._pools:
            adopter.pool(pool)
        for fileset in self._filesets:
            adopter.fileset(fileset)
        for client in self._clients:
            adopter.client(client)
        self._known = Known(self._engine, self._ours())
        self._known.load()
        self._newest = mailboxes.newest_id()
        transaction.set_rollback(self._dry_run)

    def adopt_jobs(self) -> Iterator[JobRow]:
        """Make jobs of those that the clients have in the catalog; yield each looked at."""
        yield from adopt_history(self._known, self.tally, dry_run=self._dry_run)
        if not self._wanted:
            self._note_left_out()

    def harvest(self) -> Iterator[Job]:
        """Note the mailboxes in what was adopted; yield each backup that was looked at."""
        if not self._dry_run:
            clients = list(self._known.clients.values())
            yield from mailboxes.harvest(clients, self._newest, self.tally)

    def _ours(self):
        clients = Client.objects.present().filter(
            account=self._account, zone__engine=self._engine.alias
        )
        return clients.filter(engine_name__in=self._wanted) if self._wanted else clients

    def _note_left_out(self):
        for client, number in job_history.counts(self._engine.reader()):
            if client not in self._known.clients:
                self.tally.remarks.append(
                    f"{counted(number, 'job')} of client '{client}' left out: it is not in this "
                    "account."
                )
