"""What a backup has counted so far, and what it has to complain of."""

from ...base import Outcome, Run
from ..storage.tar_headers import within
from ..storage.tar_reader import Member

LOST = ("cannot ", "read error", "permission denied", "input/output error", "no such file")


class Tally:
    """Counts members and complaints, and passes both on to the job."""

    def __init__(self, run: Run):
        self._run = run
        self._part = 0  # of a member that is not yet read to its end
        self.outcome = Outcome()

    def count(self, member: Member) -> None:
        """Count what has been stored; folders are no files."""
        self._part = 0
        if member.kind != "d":
            self.outcome.files += 1
            # Sparse files have as many bytes as anybody likes.
            self.outcome.bytes = within(self.outcome.bytes + member.size)

    def part(self, size: int) -> None:
        """Take so many bytes more of the member that is being read for done; as ``tick``."""
        self._part += size
        self.tick()

    def complain(self, line: str) -> None:
        """Log a line that keeps the job from ending as completed."""
        self.outcome.warnings += 1
        lost = any(word in line.lower() for word in LOST)
        (self._run.error if lost else self._run.warning)(line)

    def tick(self) -> None:
        """Give a sign of life; raises Canceled."""
        self._run.tick(self.outcome.files, self.outcome.bytes + self._part)
