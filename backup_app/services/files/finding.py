"""Finding files in all backups of a client: by name, over time, between two backups."""

import datetime as dt
import logging

from ...conf import conf
from ...engines import get_engine
from ...engines.base import Engine
from ...engines.history import Differences, History, NameSearch
from ...exceptions import InvalidEngine, NotFound, WrongState
from ...lib import paths
from ...models import Client, Job

PAGE_SIZE = 50
DEEPEST = 64  # folders on the way to the one that a backup is opened at
logger = logging.getLogger(__name__)


def search(client: Client, text: str, page: int = 0, page_size: int = PAGE_SIZE) -> NameSearch:
    """Return a page, counted from 0, of the paths whose names contain a text or match a pattern.

    Raises Invalid for a text that cannot be searched for, and WrongState if the engine cannot
    search.
    """
    return engine_of(client).search_names(client, text, page * page_size, page_size)


def history(client: Client, path: bytes) -> History:
    """Return the versions of a file or folder in all good backups of its client."""
    return engine_of(client).history(client, path)


def differences(
    old: Job, new: Job, *, path: bytes = paths.ROOT, after: str = "", limit: int = PAGE_SIZE
) -> Differences:
    """Return a page of what differs between two backups of a client, see ``Engine.differences``.

    Raises WrongState for backups that cannot be compared.
    """
    if old.client_id != new.client_id or old.engine != new.engine:
        raise WrongState(f"Backups {old.pk} and {new.pk} are not of the same client and engine.")
    return get_engine(old.engine).differences(old, new, path, after, limit)


def deepest_common_folder(job: Job) -> bytes:
    """Return the folder to open a backup at: the first that holds more than one folder."""
    engine, path = get_engine(job.engine), paths.ROOT
    for _ in range(DEEPEST):
        listing = engine.list_folder(job, path, limit=2)
        if listing.total != 1 or listing.files[0].node_id is None:
            break
        path = listing.files[0].path
    return path


def backup_at(client: Client, moment: dt.datetime | None) -> Job:
    """Return the newest good backup of a client that began by a moment; raises NotFound."""
    backups = client.jobs.backups().good()
    if moment:
        backups = backups.filter(started__lte=moment)
    if job := backups.order_by("-started", "-pk").first():
        return job
    raise NotFound(f"Client '{client}' has no good backup of then or before.")


def engine_of(client: Client) -> Engine:
    """Return the engine of a client's zone."""
    return get_engine(client.zone.engine)


def try_index(job: Job) -> None:
    """Make the names in a backup searchable, or log why that failed: it is tried again later."""
    try:
        get_engine(job.engine).index_names(job)
    except Exception:
        logger.exception("The names in job %s could not be indexed.", job.pk)


def unindexed_jobs() -> list[int]:
    """Return the IDs of good backups whose names are not searchable yet."""
    found: list[int] = []
    for alias in conf.engines:
        try:
            found += get_engine(alias).unindexed_jobs()
        except InvalidEngine:
            continue  # a system check reports it
    return found
