"""Finding mailboxes in backups: PST files, each for one mail address, and mail stores."""

import datetime as dt
import logging
import re

from ...conf import conf
from ...engines import get_engine
from ...engines.values import File
from ...models import Job, Mailbox

SUFFIXES = b".pst", b".edb"
STORE = ".edb"
MAX_NAME = Mailbox._meta.get_field("mailbox").max_length or 0
MAX_PATH = Mailbox._meta.get_field("pst_path").max_length or 0
FOUND_FIELDS = ["store_path", "pst_path", "pst_file_id", "pst_size", "pst_mtime", "job"]
logger = logging.getLogger(__name__)


def record(job: Job) -> int:
    """Record the mailboxes in a good backup; return how many it found. May be repeated.

    Of several PST files of a mailbox the one modified last counts.
    """
    patterns = [re.compile(pattern, re.IGNORECASE) for pattern in conf.mailbox_patterns]
    rows = {row.mailbox: row for row in Mailbox.objects.filter(client=job.client)}
    found = set()
    for file in get_engine(job.engine).files_ending(job, SUFFIXES):
        path = file.path.decode(errors="replace")
        if name := _mailbox(path, patterns):
            row = rows.setdefault(name, Mailbox(client=job.client, mailbox=name))
            _note(row, file, path, job)
            found.add(name)
    Mailbox.objects.bulk_create(
        [rows[name] for name in found],
        update_conflicts=True,
        unique_fields=["client", "mailbox"],
        update_fields=FOUND_FIELDS,
    )
    return len(found)


def try_record(job: Job) -> None:
    """Record the mailboxes in a backup, or log why that failed: the backup is good without it."""
    try:
        record(job)
    except Exception:
        logger.exception("The mailboxes of job %s could not be recorded.", job.pk)


def _mailbox(path: str, patterns: list[re.Pattern[str]]) -> str | None:
    """Return the mailbox to which a path belongs, None if there is none or no column fits it."""
    if len(path) > MAX_PATH:
        return None
    names = (found["mailbox"].lower() for pattern in patterns if (found := pattern.search(path)))
    return next((name for name in names if len(name) <= MAX_NAME), None)


def _note(row: Mailbox, file: File, path: str, job: Job) -> None:
    if path.lower().endswith(STORE):
        row.store_path = path
        row.job_id = row.job_id or job.pk
        return
    changed = dt.datetime.fromtimestamp(file.mtime, dt.UTC)
    # The same file in a newer backup counts even if its time was set back. Without a job the known
    # file is gone, since its backup was removed.
    if (
        row.pst_mtime is None
        or row.job_id is None
        or path == row.pst_path
        or changed >= row.pst_mtime
    ):
        row.pst_path, row.pst_file_id = path, file.file_id
        row.pst_size, row.pst_mtime, row.job = file.size, changed, job
