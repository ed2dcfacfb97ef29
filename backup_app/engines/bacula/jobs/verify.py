"""Reading a backup again: Bacula compares each volume of it with its catalog."""

from ....exceptions import EngineError
from ...shared.job_parts import parent_of
from ...values import Outcome, Run
from .. import names
from ..catalog.records import JobRow
from ..config import provisioning
from ..director import follow, submit
from ..director.director import Director
from ..names import Bacula
from . import sources

FAULTS = "DE"  # statuses of a verification that found differences
DIFFERS = "what is on the volumes differs from the catalog"


def verify(engine: Bacula, run: Run) -> Outcome:
    """Read the volumes of ``run.job.parent`` and of all that it builds on; see ``Engine.verify``.

    One of Bacula's jobs after another is verified so, by the checksum of each block and the digest
    of each file. Each fault is an error of the log. Raises Unfinished until the last one has ended,
    and EngineError if there was any fault.
    """
    run.tick()
    with follow.patience(engine, run), engine.director() as director:
        verification = Verification(engine, director, run)
        while verification.unread:
            verification.read_next()
    return verification.outcome()


class Verification:
    """A running verification, whose whole state is kept in ``engine_state`` between two calls."""

    def __init__(self, engine: Bacula, director: Director, run: Run) -> None:
        self.engine, self.director, self.run, self.job = engine, director, run, run.job
        self._backup = parent_of(self.job)
        if "unread" not in self.job.engine_state:
            self._begin()
        self.state = self.job.engine_state

    @property
    def unread(self) -> list[int]:
        """Bacula's jobs that have not been read again."""
        unread: list[int] = self.state["unread"]
        return unread

    def read_next(self) -> None:
        """Verify the first of the jobs that are left; raises Unfinished until that has ended."""
        if self.job.engine_job_id is None:
            submit.begin(self.engine, self.run, self._start)
        done = self.state["files"], self.state["bytes"]
        row = follow.follow(self.engine, self.director, self.run, done=done)
        self._count(row)
        follow.forget(self.job)

    def outcome(self) -> Outcome:
        """Return what was read; raises EngineError with Bacula's message if there was a fault."""
        if self.state["faults"]:
            raise EngineError(
                f"Backup {self.job.parent_id} is damaged: {' '.join(self.state['faults'])}"
            )
        return Outcome(
            files=self.state["files"],
            bytes=self.state["bytes"],
            message=f"Backup {self.job.parent_id} is intact.",
        )

    def _begin(self) -> None:
        numbers = sources.job_ids(self._backup)
        rows = self.engine.reader().jobs_by_id(numbers)
        if lost := [number for number in numbers if number not in rows]:
            which = f"its job {lost[0]}, which backup {self.job.parent_id} needs"
            raise EngineError(f"Bacula no longer knows {which}.")
        self.run.expect(sum(row.read_bytes for row in rows.values()))
        self.job.engine_state |= {"unread": numbers, "files": 0, "bytes": 0, "faults": []}

    def _start(self, comment: str) -> int:
        job = self.job
        name = provisioning.prepare(self.engine, "verify", job.client)
        # Any file daemon can do it: this host's own spares the client the work.
        client = self.engine.spool_client or names.of(self.engine, job.client)
        number, place = self.unread[0], self._place()
        return self.director.run(name, client=client, jobid=number, comment=comment, **place)

    def _place(self) -> dict[str, str]:
        """Return the storage to read from: the client's own may be another one by now."""
        source = self._backup.sources.filter(engine_job_id=self.unread[0]).first()
        storage = source and source.storage
        return {"storage": names.of(self.engine, storage)} if storage else {}

    def _count(self, row: JobRow) -> None:
        number = self.unread.pop(0)
        if row.status not in FAULTS:
            follow.require_good(self.engine, row)
        else:
            words = DIFFERS if row.status == "D" else follow.reason_of(self.engine, row)
            self.state["faults"].append(f"job {number} of Bacula: {words.rstrip('.')}.")
        self.state["files"] += row.files
        verified = self.engine.reader().job(number)
        self.state["bytes"] += verified.read_bytes if verified else 0
