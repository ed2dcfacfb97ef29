"""Extracts a backup by a restore to this host's own file daemon.

That daemon should run as the service's user, be able to write to nothing else, and have no plugins:
what it restores was made by a client.
"""

import time
from collections.abc import Callable

from ....exceptions import EngineError
from ....models import Job
from .. import names
from ..catalog.records import GOOD, Catalog
from ..config import provisioning
from ..director.director import CatalogSelection, Director
from ..names import Bacula
from .cache import Work

POLL_SECONDS = 0.5
# The restored files are compared with the catalog, so a restore with errors ("e") may be good.
ACCEPTED = GOOD | {"e"}
MAX_WORDS = 700  # characters of the log


def restore(
    engine: Bacula,
    director: Director,
    job: Job,
    selection: CatalogSelection,
    work: Work,
    tick: Callable[[], None],
) -> str:
    """Restore a selection of a backup below ``work.files``; return warnings and errors of the log.

    Raises EngineError for a restore that fails.
    """
    client = engine.spool_client
    require_harmless(director, client)
    number = director.restore(
        selection,
        job=provisioning.prepare(engine, "restore", job.client),
        source=names.of(engine, job.client),
        client=client,
        where=str(work.files),
        comment=f"{engine.prefix}download {job.pk}",
    )
    try:
        status = _wait(engine.reader(), number, tick)
    except BaseException:
        with engine.director() as again:
            again.cancel(number)
        raise
    words = _complaints(engine.reader(), number)
    if status not in ACCEPTED:
        raise EngineError(f"The restore {number} to '{client}' ended with '{status}'. {words}")
    return words


def require_harmless(director: Director, client: str) -> None:
    """Raise EngineError for a file daemon that would run commands of a client."""
    # A plugin would run the command that was stored with a dump: the client's, on this host.
    if plugins := director.client_header(client).get("plugins"):
        raise EngineError(
            f"The file daemon '{client}' has plugins ({plugins}), which would run commands of"
            " clients here: remove 'Plugin Directory' from its configuration."
        )


def _wait(reader: Catalog, number: int, tick: Callable[[], None]) -> str:
    while True:
        row = reader.job(number)
        if row is None:
            raise EngineError(f"Bacula's job {number} is no longer in the catalog.")
        if row.has_ended:
            return row.status
        tick()
        time.sleep(POLL_SECONDS)


def _complaints(reader: Catalog, number: int) -> str:
    lines = [" ".join(line.text.split()) for line in reader.log_after(number)]
    return " ".join(line for line in lines if "rror: " in line or "Warning: " in line)[:MAX_WORDS]
