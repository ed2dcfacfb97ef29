"""Which backups a backup builds on, by Bacula's own rule."""

from dataclasses import dataclass, field
from datetime import datetime

from .records import JobRow


@dataclass
class Link:
    """A good backup in a chain."""

    job_id: int
    started: datetime
    ended: datetime


@dataclass
class _Chain:
    """The newest full backup, the newest differential one since, and what came after both."""

    full: Link | None = None
    differential: Link | None = None
    increments: list[Link] = field(default_factory=list)

    def begin(self, link: Link) -> list[Link]:
        self.full, self.differential, self.increments = link, None, []
        return [link]

    def differ(self, link: Link) -> list[Link]:
        if self.full is None or link.started <= self.full.ended:
            return [link]
        self.differential, self.increments = link, []
        return [self.full, link]

    def grow(self, link: Link) -> list[Link]:
        bases = [each for each in (self.full, self.differential) if each]
        if self.full is None:
            return [link]
        since = max(each.ended for each in bases)
        if link.started > since:
            self.increments.append(link)
        later = [each for each in self.increments if since < each.started <= link.started]
        return [*bases, *later] if link in later else [*bases, *later, link]


class Chains:
    """Follows the backups of a catalog in the order of their numbers.

    A differential backup builds on the newest full one of the same job, client and fileset that
    began before it; an incremental one also on the newest differential one that began when that
    had ended, and on the incremental ones since. ``Director.chain`` gives the same.
    """

    def __init__(self) -> None:
        self._chains: dict[tuple[str, str, str], _Chain] = {}

    def add(self, record: JobRow) -> list[Link]:
        """Return the chain that a backup consists of, itself last; [] unless it is good."""
        if record.type != "B" or not (record.is_good and record.started and record.ended):
            return []
        link = Link(record.job_id, record.started, record.ended)
        if not record.fileset or record.level not in "FDI":
            return [link]
        chain = self._chains.setdefault((record.name, record.client, record.fileset), _Chain())
        step = {"F": chain.begin, "D": chain.differ, "I": chain.grow}[record.level]
        return step(link)
