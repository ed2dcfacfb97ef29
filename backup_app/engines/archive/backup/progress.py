"""The counts and warnings of a running backup."""

from ...values import Outcome, Run
from ..storage.tar_headers import within
from ..storage.tar_reader import Member

LOST = ("cannot ", "read error", "permission denied", "input/output error", "no such file")


class Progress:
    """Counts members and warnings, and reports both to the job."""

    def __init__(self, run: Run):
        self._run = run
        self._part = 0  # bytes of the member that is being read
        self.outcome = Outcome()

    def count(self, member: Member) -> None:
        """Count a stored member; folders do not count as files."""
        self._part = 0
        if member.kind != "d":
            self.outcome.files += 1
            # The sizes of sparse files may add up to any number.
            self.outcome.bytes = within(self.outcome.bytes + member.size)

    def add_bytes(self, size: int) -> None:
        """Count more bytes of the member that is being read; as ``tick``."""
        self._part += size
        self.tick()

    def warn(self, line: str) -> None:
        """Log a warning, or an error if content is lost; the job then ends as "warnings"."""
        self.outcome.warnings += 1
        lost = any(word in line.lower() for word in LOST)
        (self._run.error if lost else self._run.warning)(line)

    def tick(self) -> None:
        """Report the progress; raises Canceled."""
        self._run.tick(self.outcome.files, self.outcome.bytes + self._part)
