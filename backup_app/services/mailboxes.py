"""Finding mailboxes in backups: PST files, each of one mail address, and mail stores."""

import datetime as dt
import logging
import re

from ..conf import conf
from ..engines import get_engine
from ..models import Job, Mailbox

SUFFIXES = b".pst", b".edb"
STORE = ".edb"
LONGEST_NAME = Mailbox._meta.get_field("mailbox").max_length
LONGEST_PATH = Mailbox._meta.get_field("pst_path").max_length
logger = logging.getLogger(__name__)
FOUND_FIELDS = ["store_path", "pst_path", "pst_file_id", "pst_size", "pst_mtime", "job"]


def harvest(job: Job) -> int:
    """Note the mailboxes that a good backup brought; return how many it found. May be repeated.

    Of several PST files of a mailbox the one that was changed last counts.
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


def try_harvest(job: Job) -> None:
    """Do as ``harvest``; a failure is logged, and leaves the backup as good as it is."""
    try:
        harvest(job)
    except Exception:
        logger.exception("The mailboxes of job %s could not be noted.", job.pk)


def _mailbox(path, patterns):
    """Return the mailbox that a path is of, None for none and for what has no room."""
    if len(path) > LONGEST_PATH:
        return None
    names = (found["mailbox"].lower() for pattern in patterns if (found := pattern.search(path)))
    return next((name for name in names if len(name) <= LONGEST_NAME), None)


def _note(row, file, path, job):
    if path.lower().endswith(STORE):
        row.store_path = path
        row.job_id = row.job_id or job.pk
        return
    changed = dt.datetime.fromtimestamp(file.mtime, dt.UTC)
    # The same file in a newer backup counts even if its time was set back; and of a backup that
    # was removed there is nothing to read.
    if (
        row.pst_mtime is None
        or row.job_id is None
        or path == row.pst_path
        or changed >= row.pst_mtime
    ):
        row.pst_path, row.pst_file_id = path, file.file_id
        row.pst_size, row.pst_mtime, row.job = file.size, changed, job
