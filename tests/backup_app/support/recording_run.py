"""A job at work as an engine sees it, for tests: it remembers what it is told."""

from backup_app.exceptions import Canceled


class Recording:
    """Collects log lines and progress; ``cancel_at`` is the tick at which the job is canceled."""

    def __init__(self, job, *, cancel_at: int | None = None):
        self.job = job
        self.lines: list[tuple[str, str]] = []  # (level, message)
        self.expected = None
        self.files = self.bytes = self.ticks = 0
        self._cancel_at = cancel_at

    def info(self, message, at=None):
        self.lines.append(("info", message))

    def warning(self, message, at=None):
        self.lines.append(("warning", message))

    def error(self, message, at=None):
        self.lines.append(("error", message))

    def ran(self, started, ended):
        self.times = started, ended

    def expect(self, size):
        self.expected = size

    def tick(self, files=None, size=None):
        self.ticks += 1
        self.files = self.files if files is None else files
        self.bytes = self.bytes if size is None else size
        if self._cancel_at is not None and self.ticks >= self._cancel_at:
            raise Canceled

    @property
    def messages(self) -> list[str]:
        return [message for _, message in self.lines]
