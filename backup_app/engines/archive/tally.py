"""What a backup has counted so far, and what it has to complain of."""

from ..base import Outcome, Run
from .tarstream import Member, within

LOST = ("cannot ", "read error", "permission denied", "input/output error", "no such file")


class Tally:
    """Counts members and complaints, and passes both on to the job."""

    def __init__(self, run: Run):
        self._run = run
        self.outcome = Outcome()

    def count(self, member: Member) -> None:
        """Count what has been stored; folders are no files."""
        if member.kind != "d":
            self.outcome.files += 1
            # Sparse files have as many bytes as anybody likes.
            self.outcome.bytes = within(self.outcome.bytes + member.size)

    def complain(self, line: str) -> None:
        """Log a line that keeps the job from ending as completed."""
        self.outcome.warnings += 1
        lost = any(word in line.lower() for word in LOST)
        (self._run.error if lost else self._run.warning)(line)

    def tick(self) -> None:
        """Give a sign of life; raises Canceled."""
        self._run.tick(self.outcome.files, self.outcome.bytes)
