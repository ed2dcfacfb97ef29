"""The topics, and an examination of all of them."""

from collections.abc import Callable, Iterable, Iterator

from django.db import DatabaseError

from . import (
    alerts,
    clients,
    clock,
    database,
    engines,
    mail,
    maintenance,
    settings,
    storages,
    worker,
)
from .finding import Finding, skipped

Topic = Callable[[], Iterable[Finding]]
# In the order of what depends on what.
TOPICS: dict[str, Topic] = {
    "settings": settings.examine,
    "database": database.examine,
    "migrations": database.examine_migrations,
    "clock": clock.examine,
    "worker": worker.examine,
    "engine": engines.examine,
    "storage": storages.examine,
    "maintenance": maintenance.examine,
    "mail": mail.examine,
    "alerts": alerts.examine,
}
# Only on request: each logs in to other machines.
ON_REQUEST: dict[str, Topic] = {"client": clients.examine}


def examine(*, with_clients: bool = False) -> Iterator[tuple[str, Finding]]:
    """Yield the findings of all topics, each with the name of its topic.

    What needs the database is skipped while that cannot be read.
    """
    for name, topic in (TOPICS | (ON_REQUEST if with_clients else {})).items():
        for finding in _findings(topic):
            yield name, finding


def _findings(topic: Topic) -> Iterator[Finding]:
    try:
        yield from topic()
    except DatabaseError:
        yield skipped("Not examined: the database cannot be read, see above.")
