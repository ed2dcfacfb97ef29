"""Adopts an existing installation of an engine into an account."""

from collections.abc import Collection, Iterator
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet

from ...engines.adoption import Found, FoundClient, FoundJob
from ...engines.base import Engine
from ...exceptions import BackupError, EngineUnreachable
from ...lib.formatting import counted
from ...models import Client, Job, JobSource, Zone
from ...services.adoption import Recorder, Report
from ...services.files import mailboxes
from .history import adopt_history
from .records import Known


class Adoption:
    """One run, in four steps: ``find``, ``store``, ``adopt_jobs`` and ``find_mailboxes``.

    ``report`` has the result. ``clients`` are their names in the engine; none are all.
    Nothing is written to the engine. May be repeated: it adds what is new and updates what is
    here. All steps raise EngineUnreachable and EngineError.
    """

    def __init__(
        self,
        engine: Engine,
        account: Any,
        zone: Zone,
        clients: Collection[str] = (),
        *,
        dry_run: bool = False,
    ):
        self.report = Report()
        self._engine, self._account, self._zone = engine, account, zone
        self._names, self._dry_run = set(clients), dry_run
        self._found: list[Found] = []

    def find(self) -> Iterator[FoundClient]:
        """Read the engine's inventory; yield each client."""
        for found in self._engine.inventory(self._names):
            self._found.append(found)
            if isinstance(found, FoundClient):
                yield found

    @transaction.atomic
    def store(self) -> None:
        """Store records of the inventory."""
        recorder = Recorder(self._engine, self._account, self._zone, self.report)
        for found in self._found:
            recorder.record(found)
        self._known = Known(self._engine, self._clients())
        self._known.load()
        self._newest = Job.objects.aggregate(newest=Max("pk"))["newest"] or 0
        # A dry run shows what would come of the jobs too: so all is stored, read, and rolled back.
        transaction.set_rollback(self._dry_run)

    def adopt_jobs(self) -> Iterator[FoundJob]:
        """Create jobs for those that the engine has of the clients; yield each looked at."""
        yield from adopt_history(self._known, self.report, dry_run=self._dry_run)
        if not self._names:
            self._note_left_out()

    def find_mailboxes(self) -> Iterator[Job]:
        """Record the mailboxes in the newest adopted backups; yield each backup."""
        if self._dry_run:
            return
        clients = self._known.clients.values()
        sources = JobSource.objects.filter(job__in=_newest(clients), source__gt=self._newest)
        jobs = Job.objects.filter(pk__in=sources.values("source")).select_related("client")
        for job in jobs.order_by("engine_job_id"):
            try:
                mailboxes.record(job)
            except EngineUnreachable:
                raise
            except BackupError as e:
                words = f"The mailboxes of job {job.pk} could not be recorded: {e}"
                self.report.problems.append(words)
            yield job

    def _clients(self) -> QuerySet[Client]:
        clients = Client.objects.present().filter(
            account=self._account, zone__engine=self._engine.alias
        )
        return clients.filter(engine_name__in=self._names) if self._names else clients

    def _note_left_out(self) -> None:
        for client, number in self._engine.count_jobs():
            if client not in self._known.clients:
                self.report.remarks.append(
                    f"{counted(number, 'job')} of client '{client}' left out: it is not in this "
                    "account."
                )


def _newest(clients: Collection[Client]) -> list[int]:
    """Return the newest good backup of each fileset of each client."""
    backups = Job.objects.backups().good().filter(client__in=clients).order_by()
    newest = backups.values("client", "fileset").annotate(newest=Max("pk"))
    return list(newest.values_list("newest", flat=True))
